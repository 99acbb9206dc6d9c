import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { messagesChangedBy, parseMessage, sentencesOutdatedBy } from './change.ts'

const minute = 60_000

function isChanged(earlier: string, later: string, { gap = 10 * minute, by = 'Ann' } = {}): boolean {
  const [one, other] = [
    { speaker: 'Ann', at: 0, read: parseMessage(earlier) },
    { speaker: by, at: gap, read: parseMessage(later) },
  ]
  return messagesChangedBy(other, [one]).length > 0
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
  // Dates without words.
  ['The demo is on 2026-04-14.', 'The demo moved to 2026-04-16.'],
  ['The demo is on 2026-04-14.', 'The demo moved to 2026-05-14.'],
  ['The demo is on 2026-04-14.', 'The demo moved to 2027-04-14.'],
  ['The demo is on 14 April.', 'The demo moved to 2026-04-16.'],
  // The role of a numbered thing, an owner who is the value, an `I` that is no label, a count.
  ['Postgres 14 is our database.', 'Postgres 16 is our database now.'],
  ['Room 4 is the nursery.', 'Room 6 is the nursery now.'],
  ["The release is Tom's job.", "The release is Eva's job now."],
  ["The corner table is Ben's place.", "The corner table is Mia's place now."],
  ['The 2019 car I drive costs 300 euros.', 'The 2019 car costs 350 euros now.'],
  ['The choir has 32 members.', 'The choir has 35 members now.'],
  ['The choir board has 7 members.', 'The choir board has 5 members now.'],
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

it('the first name of a speaker with a surname owns the same things as the speaker', () => {
  const desks = ["Ann's desk is in the hall.", 'My desk is in the attic now.'] as const
  const isMoved = (speaker: string, [earlier, later]: readonly [string, string]) =>
    messagesChangedBy({ speaker, at: minute, read: parseMessage(later) }, [
      { speaker, at: 0, read: parseMessage(earlier) },
    ]).length > 0
  assert.equal(isMoved('Ann Lee', desks), true)
  assert.equal(isMoved('Ann Lee', ['My desk costs 300 euros.', "Ann's desk costs 350 euros now."]), true)
  assert.equal(isMoved('Bob Lee', desks), false)
})

it('a speaker is out if the message names a part of the speaker’s name', () => {
  const hike = 'I lead the night hike.'
  const isTaken = (speaker: string, later: string) =>
    messagesChangedBy({ speaker: 'Bob', at: minute, read: parseMessage(later) }, [
      { speaker, at: 0, read: parseMessage(hike) },
    ]).length > 0
  for (const speaker of ['Ann', 'Ann Lee', 'Lee, Ann'])
    assert.equal(isTaken(speaker, 'Ann has the flu, so Carla leads the night hike.'), true, speaker)
  for (const speaker of ['Анна', '小林', '42', 'Zoe', 'The One'])
    assert.equal(isTaken(speaker, 'Ann has the flu, so Carla leads the night hike.'), false, speaker)
})

it('all sentences of a message that state the changed value are outdated, and no other', () => {
  const outdatedIn = (earlier: string, later: string) => {
    const [one, other] = [earlier, later].map((text, at) => ({ speaker: 'Ann', at, read: parseMessage(text) }))
    const found = one && other ? sentencesOutdatedBy(other, [one]) : []
    return [...new Set(found.map(({ sentence }) => sentence))]
  }
  const [is, pays] = ['The rent is 600 euros.', 'We pay 600 euros of rent from May.']
  const later = 'The rent is 650 euros now.'
  assert.deepEqual(outdatedIn(`${is} ${pays} I live in Linz.`, later), [is, pays])
  assert.deepEqual(outdatedIn(`The rent was 550 euros at first. ${is}`, later), [is])
  assert.deepEqual(outdatedIn('I live in Graz. My home is in Graz for good.', 'I moved to Linz.'), [
    'I live in Graz.',
    'My home is in Graz for good.',
  ])
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
  // Of two numbered things each has its own value. A choir's board is not the choir.
  ['Gate 3 is open for visitors.', 'Gate 5 is open for visitors now.'],
  ['Room 4 is the nursery.', 'Room 6 is the kitchen now.'],
  ['The choir has 32 members.', 'The choir board has 5 members now.'],
  // One date, written twice.
  ['The demo is on 2026-04-06.', 'The demo is on 6 April now.'],
  ['The demo is on 2026-04-06.', 'The demo is now on the 6th.'],
  // Two events, and code.
  ['I ran 5 km on Monday.', 'I ran 8 km on Tuesday.'],
  ['The fee is 0.4 %.', '```\nfee = 0.35 // now lower\n```'],
]
for (const [earlier, later] of unchanged)
  it(`“${later}” does not change “${earlier}”`, () => assert.equal(isChanged(earlier, later), false))

describe('a pronoun before a verb of ending means the only person whom the message names', () => {
  const at = (person: string) => `${person} works at Siemens.`
  const meant: readonly (readonly [earlier: string, later: string])[] = [
    [at('Lena'), 'Lena called, she has quit Siemens.'],
    [at('Lena'), 'Lena called. She has quit Siemens.'],
    [at('Lena'), 'Lena called, she’s quit Siemens.'],
    [at('Lena'), 'Lena called and she has just left Siemens.'],
    [at('Lena'), 'Lena called, she no longer works at Siemens.'],
    [at('Lena'), "Lena called, she doesn't work at Siemens any more."],
    [at('Lena Berg'), 'I spoke to Lena Berg today: she has left Siemens.'],
    [at('Lena'), 'Lena told me she has resigned from Siemens.'],
    [at('Lena'), 'Tom and Lena called, she has quit Siemens.'],
    [at('Tom'), 'Tom and Mia called, he has quit Siemens.'],
  ]
  for (const [earlier, later] of meant) it(later, () => assert.equal(isChanged(earlier, later), true))
  const notMeant: readonly (readonly [earlier: string, later: string])[] = [
    [at('Lena'), 'Lena called, Mia has quit Siemens.'],
    [at('Mia'), 'Lena called, she has quit Siemens.'],
    [at('Lena'), 'Lena called Mia, she has quit Siemens.'],
    [at('Mia'), 'Lena called Mia, she has quit Siemens.'],
    [at('Tom'), 'Tom and Noor called, he has quit Siemens.'],
    [at('Lena Lee'), 'Lena Berg called, she has quit Siemens.'],
    [at('Lena'), 'Lena called Mia, she no longer works at Siemens.'],
    [at('Lena'), 'Jo called Lena, she has quit Siemens.'],
    [at('Lena'), 'Mia is back. Lena called, she has quit Siemens.'],
    [at('Lena'), "Lena's sister called, she has quit Siemens."],
    [at('Lena'), 'My boss called Lena, she has quit Siemens.'],
    [at('Lena'), 'The nurse called Lena, she has quit Siemens.'],
    [at('Tom'), 'Tom called, she has quit Siemens.'],
    [at('Lena'), "Lena called, she hasn't quit Siemens."],
    [at('Lena'), 'Lena called, she wants to quit Siemens.'],
    [at('Lena'), 'Lena called, has she quit Siemens?'],
    [at('Lena'), 'Lena called, she has quit the choir.'],
    [at('Lena'), 'She has quit Siemens.'],
  ]
  for (const [earlier, later] of notMeant)
    it(`“${later}” does not change “${earlier}”`, () => assert.equal(isChanged(earlier, later), false))
})

it('a message never changes a later one', () => {
  assert.equal(isChanged('Our budget is 80k.', 'The budget went from 80k to 65k.', { gap: -minute }), false)
})
