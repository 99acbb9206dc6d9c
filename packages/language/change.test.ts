import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changedBy, readMessage } from './change.ts'

const minute = 60_000

function isChanged(earlier: string, later: string, { gap = 10 * minute, by = 'Ann' } = {}): boolean {
  const [one, other] = [
    { speaker: 'Ann', at: 0, read: readMessage(earlier) },
    { speaker: by, at: gap, read: readMessage(later) },
  ]
  return changedBy(other, [one]).length > 0
}

const changed: readonly (readonly [earlier: string, later: string])[] = [
  ['I live in Graz.', 'I moved to Linz two weeks ago.'],
  ['Our budget is 80k until the end of June.', 'Finance says the budget went from 80k to 65k.'],
  ['Payment fee at the provider is 0.4 %.', 'The provider lowered the fee: 0.35 % now.'],
  ['We use RabbitMQ for events today.', 'We switched from RabbitMQ to SQS yesterday.'],
  ['I set the console to dark mode by default.', 'OK, OK: light mode again, dark only if you ask for it.'],
  ["I'm a vegetarian.", "I'm no longer a vegetarian."],
  ['Nordlicht has two employees who test for us.', 'Nordlicht hired a third tester, so three employees now.'],
  ['The customer pilot starts on 14 April.', 'Nordlicht postponed the pilot to 28 April.'],
  ['I work nights at the bakery.', "I'm not doing nights any more."],
  ['The kickoff with legal is on Monday.', 'The kickoff with legal is cancelled.'],
  ['The wifi password is blauwal77.', "I changed the wifi password, it's cornet4ever now."],
  ['Interview with Copper Fox is on Zoom.', "And it's at their office now, not on Zoom."],
  ['The washing machine is dead.', 'The machine is fixed.'],
  // Roles, negations, renames, places and tools.
  ['The chair is Beatrix.', 'Beatrix stepped down, Ilse was elected chair.'],
  ["I don't eat dairy.", 'I eat dairy again, the test was negative.'],
  ['The api is called Heron.', 'Legal says no, so Heron is now called Osprey.'],
  ['The router is in the cellar.', 'The router is in the hall now.'],
  ['We use Moment for dates in the frontend.', 'I replaced Moment with Luxon in the frontend.'],
  ['The retry limit is 5.', 'Too aggressive. Lower the retry limit to 3.'],
]
for (const [earlier, later] of changed) it(later, () => assert.equal(isChanged(earlier, later), true))

it('a correction that follows at once changes the message before it, and only that', () => {
  const [review, sorry] = ['The security review is on the 14th of April at two.', 'Sorry, the 16th, not the 14th.']
  assert.equal(isChanged(review, sorry, { gap: minute }), true)
  assert.equal(isChanged(review, sorry, { gap: minute, by: 'Bob' }), false)
  assert.equal(isChanged('The demo is on the 20th of April.', sorry, { gap: minute }), false)
})

it('a correction that repeats the old date and gives the new one changes the statement of the old date', () => {
  const workshop = 'I lead the workshop. The workshop is on the 14th of April in the Lisbon office.'
  assert.equal(isChanged(workshop, "Sorry, I said the workshop is on the 14th, it's on the 16th of April."), true)
})

const unchanged: readonly (readonly [earlier: string, later: string])[] = [
  ['According to Ann, home is Bath.', 'According to Ben, home is Bern these days.'],
  // Another thing, or another owner of it.
  ['The demo for the board is on Wednesday.', 'Nordlicht postponed the pilot to 28 April.'],
  ['The 500 package is 44 pounds a month.', 'I can lower yours from 44 to 38 pounds.'],
  // A hypothesis, a question, a denial.
  ['Our budget is 80k.', 'If the budget went from 80k to 65k, we could stop.'],
  ['Our budget is 80k.', 'Did the budget go from 80k to 65k?'],
  ['I love reading.', "I won't quit reading."],
  // A person moves to a place, not to a date.
  ["Sofia won't be at the review on 5 March 2026.", 'Sofia moved to Linz in the week of 30 March 2026.'],
  // Another owner, two values of one kind, something that still holds.
  ['The deadline for the report is 15 October.', 'The ministry extended the grant deadline to 14 October.'],
  ['I bought a second-hand water pump for 85 euros.', 'The boat budget has 225 euros left after the water pump.'],
  ['I live in Lisbon.', 'I am looking at flats in Porto now.'],
  ['I work at Saltline.', 'I still work at Saltline, now from my kitchen table.'],
  // Two events, and code.
  ['I ran 5 km on Monday.', 'I ran 8 km on Tuesday.'],
  ['The fee is 0.4 %.', '```\nfee = 0.35 // now lower\n```'],
]
for (const [earlier, later] of unchanged)
  it(`“${later}” does not change “${earlier}”`, () => assert.equal(isChanged(earlier, later), false))

it('a message never changes a later one', () => {
  assert.equal(isChanged('Our budget is 80k.', 'The budget went from 80k to 65k.', { gap: -minute }), false)
})
