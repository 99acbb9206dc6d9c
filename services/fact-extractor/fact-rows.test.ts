/** The rows of a model's answer as facts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsIn, rowPattern } from './fact-rows.ts'

const row = (when: string) => `u1 | event | ${when} | | | | Ann | sailed to | Porto`
const days = (when: string) => {
  const found = factsIn([row(when)])[0]?.when
  return found && [found.from.slice(0, 10), found.to.slice(0, 10), found.text]
}

test('a row is one fact, and its last three cells are the sentence', () => {
  const rows = ['u3,u12 | event | 2026-03-01 | Porto | Tom | boat, sail | Ann | sailed to | Porto with Tom on the Argo']
  assert.deepEqual(factsIn(rows), [
    {
      text: 'Ann sailed to Porto with Tom on the Argo.',
      kind: 'event',
      subject: 'Ann',
      relation: 'sailed to',
      object: 'Porto with Tom on the Argo',
      when: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', text: '1 March 2026' },
      location: 'Porto',
      persons: ['Tom'],
      entities: ['Porto', 'Argo'],
      keywords: ['boat', 'sail'],
      sources: ['u3', 'u12'],
    },
  ])
})

test('a time is a day, a month, a year, a minute, or a first and a last one of these', () => {
  assert.deepEqual(days('2026-12-31'), ['2026-12-31', '2027-01-01', '31 December 2026'])
  assert.deepEqual(days('2026-12'), ['2026-12-01', '2027-01-01', 'December 2026'])
  assert.deepEqual(days('2026'), ['2026-01-01', '2027-01-01', '2026'])
  assert.deepEqual(days('2026-03-06..2026-03-08'), ['2026-03-06', '2026-03-09', '6 March 2026 to 8 March 2026'])
  assert.equal(factsIn([row('2026-03-06T14:30Z')])[0]?.when?.text, '6 March 2026, 14:30')
  assert.deepEqual(days('2026-3-1'), ['2026-03-01', '2026-03-02', '1 March 2026'])
  const wrong = ['', 'soon', '2026-02-30', '2026-13', '2026-03-08..2026-03-06', '2026-03-06T10:99', '2026-03-06T24:00']
  for (const each of [...wrong, '2026 or 2027', '2026-03-06T14:30+26:00', '2026-0-1', '2026-03-00'])
    assert.equal(days(each), null, each)
})

test('a time with an offset is that time in UTC', () => {
  const from = (when: string) => factsIn([row(when)])[0]?.when?.from
  assert.equal(from('2026-03-06T14:30+02:00'), '2026-03-06T12:30:00.000Z')
  assert.equal(from('2026-03-06T22:30:00.5-0330'), '2026-03-07T02:00:00.000Z')
  assert.equal(from('2026-03-06 14:30'), '2026-03-06T14:30:00.000Z')
})

test('only the rows of another form are left out, and a row with a bar in its words is kept', () => {
  const rows = ['Ann sails.', 'u1 | state | | | | Ann | sails', 'u1 | boast | | | | | Ann | owns | "A | B"', row('')]
  assert.deepEqual(
    factsIn(rows).map(({ text, kind }) => [text, kind]),
    [
      ['Ann owns "A B".', 'state'],
      ['Ann sailed to Porto.', 'event'],
    ],
  )
})

test('the pattern holds for rows of labels and eight cells or more', () => {
  const fits = (given: string) => new RegExp(rowPattern, 'u').test(given)
  assert.ok(fits(row('2026')) && fits('u1,u2|state|||||Ann|is|here') && fits('u1|state|||||Ann||'))
  assert.ok(fits('u1-u3; u5 |state|||||Ann|owns|"A | B"'))
  assert.ok(!fits('Ann sails.') && !fits('u1|state||||Ann|is|here') && !fits('1|state|||||Ann|is|here'))
  assert.ok(!fits('u1, event, 2026|state|||||Ann|is|here'))
})

test('the pattern has the syntax that llama.cpp turns into a grammar', () => {
  assert.match(rowPattern, /^\^.*\$$/)
  assert.doesNotMatch(rowPattern, /\\/)
})
