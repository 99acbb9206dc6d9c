import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restate } from '../restate.ts'

const friday7April = Date.UTC(2023, 3, 7, 14)

function told(text: string, before = ''): string[] {
  const previous = before === '' ? [] : [{ speaker: 'Ann', text: before }]
  const context = { addressee: null, previous, participants: ['Ann', 'Bob', 'Cleo'] }
  return restate({ speaker: 'Ann', text, at: friday7April }, context).map((statement) => statement.text)
}

const corrections: readonly (readonly [said: string, statements: readonly string[]])[] = [
  ["Sorry, I said the workshop is on the 14th, it's on the 16th of April.", ['The workshop is on 16 April 2023.']],
  ["I told you that my exam is on Monday, but it's on Tuesday.", ["Ann's exam is on 11 April 2023."]],
  ['Correction: the workshop is on the 16th of April.', ['The workshop is on 16 April 2023.']],
  [
    "The workshop isn't on the 14th, it's on the 16th of April.",
    ["The workshop isn't on 14 April 2023.", 'The workshop is on 16 April 2023.'],
  ],
]
for (const [said, statements] of corrections) it(said, () => assert.deepEqual(told(said), statements))

it('a corrected date replaces the one date in the sentence before', () => {
  assert.deepEqual(told('Sorry, I meant the 16th.', 'The workshop is on the 14th of April.'), [
    'The workshop is on 16 April 2023.',
  ])
  assert.deepEqual(told('I meant the 16th.', 'The workshop is nice.'), [])
})
