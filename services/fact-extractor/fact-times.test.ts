/** The time cell of a row, and the fields that it gives a fact. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FactKind } from '@loomlog/schemas/events'
import { timeFields, timeIn } from './fact-times.ts'

const said = Date.UTC(2026, 2, 2, 9)
const iso = (ms: number) => new Date(ms).toISOString().replace(/T00:00:00.000Z$/, '')

function fields(cell: string, kind: FactKind = 'event') {
  const time = timeIn(cell)
  if (time === null) return null
  const { when, until, phrase } = timeFields(time, kind, said)
  return [when && `${iso(when.from)} ${iso(when.to)} ${when.text}`, until === null ? null : iso(until), phrase] as const
}

test('a time is a day, a month, a year or a minute', () => {
  assert.deepEqual(fields('2026-12-31'), ['2026-12-31 2027-01-01 31 December 2026', null, 'on 31 December 2026'])
  assert.deepEqual(fields('2026-12'), ['2026-12-01 2027-01-01 December 2026', null, 'in December 2026'])
  assert.deepEqual(fields('2026'), ['2026-01-01 2027-01-01 2026', null, 'in 2026'])
  assert.equal(fields('2026-03-06T14:30')?.[2], 'on 6 March 2026, 14:30')
  const wrong = ['-', '', 'soon', '2026-02-30', '2026-13', '2026-03-08..2026-03-06', '2026-03-06T10:99', '..', 'a..b']
  for (const each of [...wrong, '2026..2027..2028', '2026-03-06T24:00', '2026-03-00'])
    assert.equal(fields(each), null, each)
})

test('a time with an offset is that time in UTC', () => {
  assert.match(fields('2026-03-06T14:30+02:00')?.[0] ?? '', /^2026-03-06T12:30:00.000Z/)
  assert.match(fields('2026-03-06T22:30:00.5-0330')?.[0] ?? '', /^2026-03-07T02:00:00.000Z/)
})

test('an event or a plan of several days takes all of them', () => {
  const days = ['2026-03-06 2026-03-09 6 March 2026 to 8 March 2026', null, 'from 6 March 2026 to 8 March 2026']
  assert.deepEqual(fields('2026-03-06..2026-03-08', 'event'), days)
  assert.deepEqual(fields('2026-03-06..2026-03-08', 'plan'), days)
})

test('a state or a liking begins with the first time and ends behind the last one', () => {
  for (const kind of ['state', 'preference'] as const) {
    assert.deepEqual(fields('2026-01..2026-03', kind), [
      '2026-01-01 2026-02-01 January 2026',
      '2026-04-01',
      'from January 2026 to March 2026',
    ])
    assert.deepEqual(fields('2026-01..', kind), ['2026-01-01 2026-02-01 January 2026', null, 'since January 2026'])
    assert.deepEqual(fields('2026-05..', kind)?.[2], 'from May 2026 on')
    assert.deepEqual(fields('..2027', kind), [null, '2028-01-01', 'until 2027'])
  }
})

test('a deadline is the time and the end of a plan, and has no start', () => {
  assert.deepEqual(fields('..2027', 'plan'), ['2027-01-01 2028-01-01 2027', '2028-01-01', 'by 2027'])
  assert.deepEqual(fields('..2027-12-31', 'plan'), [
    '2027-12-31 2028-01-01 31 December 2027',
    '2028-01-01',
    'by 31 December 2027',
  ])
  assert.deepEqual(fields('2027-12-31', 'plan'), [
    '2027-12-31 2028-01-01 31 December 2027',
    null,
    'on 31 December 2027',
  ])
})

test('an event by some day has neither that day nor an end', () => {
  assert.deepEqual(fields('..2026-03-01', 'event'), [null, null, 'by 1 March 2026'])
})
