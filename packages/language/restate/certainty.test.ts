import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restate } from '../restate.ts'

const monday15December = Date.UTC(2025, 11, 15, 9)
const participants = ['Ann', 'Bob', 'Cleo']

function told(text: string, at = monday15December): string[] {
  return restate({ speaker: 'Ann', text, at }, { addressee: null, previous: [], participants }).map(({ text }) => text)
}

const rows: readonly (readonly [said: string, statements: readonly string[]])[] = [
  // Habits and weekdays are no dates.
  ["Heads up, I'm allergic to Friday deploys.", []],
  ['Team lunch every Monday, on me.', []],
  ['I swim every Monday at the lido.', ['Ann swims every Monday at the lido.']],
  ['I usually swim on Friday in Oslo.', ['Ann usually swims on Friday in Oslo.']],
  ['The bins go out Wednesday night.', []],
  ['We use RabbitMQ for events today.', []],
  ['I baked a walnut cake today.', ['Ann baked a walnut cake on 15 December 2025.']],
  ['The hospital moved me to the second of September.', []],
  ['My gym is on Tuesdays and Thursdays.', ["Ann's gym is on Tuesdays and Thursdays."]],
  // A date to come is the next one.
  ['The shop is closed from 22 December, so call before.', ['The shop is closed from 22 December 2025.']],
  ['Nordlicht postponed the pilot to 28 April.', ['Nordlicht postponed the pilot to 28 April 2026.']],
  ["I won't be at the review on Thursday.", ["Ann won't be at the review on 18 December 2025."]],
  ['My birthday is on 3 May, not on 5 May.', ["Ann's birthday is on 3 May, not on 5 May."]],
  // Negation stays.
  ["I'm no longer a vegetarian.", ['Ann is no longer a vegetarian.']],
  ['My sister no longer eats meat.', ["Ann's sister no longer eats meat."]],
  ['I have never worked freelance.', ['Ann has never worked freelance.']],
  // Each clause belongs to its subject.
  ['Marcus joins the Platform team in May, the rest of us stay.', ['Marcus joins the Platform team in May 2026.']],
  ["Tom left Hannah's team last year.", ["Tom left Hannah's team in 2024."]],
  ['rang Mrs Dunmore hedge to be cut to five foot on the ninth', []],
  // Hypotheses, guesses, jokes, wishes, questions and reports.
  ["If we had two more people, we'd be done by April.", []],
  ['I would randomise pitch and use at least eight samples.', []],
  ["I'd need two more people for the migration.", []],
  ['Maybe I moved the key to the cellar.', []],
  ['I think I passed the exam in Oslo.', []],
  ['My mate Huw pays 29 for the same, is that right?', []],
  ['"Never trust a provider", as my old boss used to say.', []],
  ["I'm Ann, by the way.", []],
  ['Then we sell the old tractor.', []],
  ['Then we sold the old tractor.', ['Ann sold the old tractor.']],
  ['I moved the review to casting, was that the right decision', ['Ann moved the review to casting.']],
  // A relative of an unnamed person, a fragment, a missing subject that is no person.
  ['The wife is Hua.', []],
  ['My wife is Hua.', ["Ann's wife is Hua."]],
  ['A suspenseful thriller set in a small Midwestern town.', []],
  ['Took some trial and error in the kitchen.', []],
  ['Took the ferry to Gothenburg.', ['Ann took the ferry to Gothenburg.']],
  // A date that begins is the next one, regardless of the rest of the sentence. A date that is an attribute is none.
  [
    'The milk lorry comes at six from Thursday, they changed the route.',
    ['The milk lorry comes at six from 18 December 2025.'],
  ],
  ['I finished the plan ahead of my original May 15, 2026 goal.', []],
]
for (const [said, statements] of rows) it(said, () => assert.deepEqual(told(said), statements))
