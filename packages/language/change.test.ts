import assert from 'node:assert/strict'
import { it } from 'node:test'
import { messagesChangedBy, parseMessage, sentencesOutdatedBy } from './change.ts'

function message(line: string, at: number) {
  const [, speaker = '', text = ''] = /^(\w+): (.*)$/.exec(line) ?? []
  return { speaker, at, read: parseMessage(text) }
}

function isChanged(older: string, newer: string): boolean {
  return messagesChangedBy(message(newer, 2), [message(older, 1)]).length > 0
}

for (const [older, newer] of [
  ['Priya: The budget for Atlas is 80k.', 'Priya: The budget for Atlas went from 80k to 65k.'],
  ['Priya: The workshop is on the 14th of July.', 'Priya: Sorry, the workshop is on the 16th, not the 14th.'],
  ['Tom: The jobs run on RabbitMQ.', 'Tom: The jobs run on SQS instead of RabbitMQ.'],
] as const) {
  it(`${newer} changes ${older}`, () => assert.ok(isChanged(older, newer)))
}

it("another person's word changes nothing", () => {
  assert.ok(!isChanged('Priya: The budget for Atlas is 80k.', 'Tom: The budget for Atlas went from 80k to 65k.'))
})

it('a sentence about another customer changes nothing', () => {
  assert.ok(
    !isChanged('Priya: The order of Heron costs 80k a year.', 'Priya: The order of Osprey went from 80k to 65k.'),
  )
})

for (const newer of [
  'Priya: Tom said the budget for Atlas went from 80k to 65k.',
  'Priya: If the budget for Atlas went from 80k to 65k, we would stop.',
  'Priya: Did the budget for Atlas go from 80k to 65k?',
  'Priya: The budget for Borealis is 65k now.',
  'Priya: The budget for Atlas is 65 pages now.',
  'Priya: The rent fell from 80k to 65k.',
]) {
  it(`${newer} changes nothing`, () => assert.ok(!isChanged('Priya: The budget for Atlas is 80k.', newer)))
}

it('only the sentence with the old value is outdated', () => {
  const older = message('Priya: The budget for Atlas is 80k. The audit is in June.', 1)
  const newer = message('Priya: The budget for Atlas went from 80k to 65k.', 2)
  assert.deepEqual(
    sentencesOutdatedBy(newer, [older]).map(({ sentence }) => sentence),
    ['The budget for Atlas is 80k.'],
  )
})

it('a new value beside now, and the end of a state, outdate the sentence in the same words', () => {
  assert.ok(isChanged('Priya: The budget for Atlas is 80k.', 'Priya: The budget for Atlas is 65k now.'))
  assert.ok(isChanged('Lena: We have one employee.', 'Lena: We have two employees now.'))
  assert.ok(isChanged('Igor: I am a vegetarian.', "Igor: I'm no longer a vegetarian."))
  assert.ok(!isChanged('Igor: Rex is a vegetarian.', "Igor: I'm no longer a vegetarian."))
})

for (const [older, newer] of [
  ['The train leaves Berlin at 8.', 'The train goes from Berlin to Munich.'],
  ['The office is closed on Monday.', 'The office has good hours from Monday to Friday.'],
  ['The salary budget is 80k.', 'The travel budget went from 80k to 65k.'],
  ['The board meeting is on Monday.', 'We moved the team meeting from Monday to Tuesday.'],
  ['My parents live in Lisbon.', 'I live in Porto, not Lisbon.'],
  ['My son likes tea.', 'I gave my son coffee instead of tea.'],
  ['It is broken.', 'It is no longer broken.'],
  ['The hat costs 4 euros.', 'It costs 5 euros now.'],
  ['I need four eggs for the cake.', 'I need two eggs now.'],
  ['Nordlicht pays a fee of 80k.', 'The fee of Acme went from 80k to 65k.'],
] as const) {
  it(`${newer} changes nothing about ${older}`, () => assert.ok(!isChanged(`Ann: ${older}`, `Ann: ${newer}`)))
}

it('the month of May is no sign of doubt', () => {
  assert.ok(isChanged('Ann: The launch is on 14 May.', 'Ann: The launch moved from 14 May to 28 May.'))
})
