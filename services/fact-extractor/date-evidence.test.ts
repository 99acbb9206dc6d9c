/** Which dates a line can mean. It is of Monday, 2 March 2026. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FactKind } from '@loomlog/schemas/events'
import { lineMeaning } from './date-evidence.ts'

const at = Date.UTC(2026, 2, 2, 9)

function canMean(iso: string, text: string, kind: FactKind | null = null, other = ''): boolean {
  const [year = 0, month = null, day = null] = iso.split('-').map(Number)
  return (
    lineMeaning(
      { year, month, day },
      [
        { at, text },
        { at, text: other },
      ],
      kind,
    ) !== undefined
  )
}

test('a line can mean its own day, month and year', () => {
  for (const date of ['2026-03-02', '2026-03', '2026']) assert.ok(canMean(date, 'I sold it.'), date)
  for (const date of ['2026-03-05', '2026-05', '2027']) assert.ok(!canMean(date, 'I sold it.'), date)
})

test('a day without a year has the nearest one, on the side that its kind of fact has', () => {
  assert.ok(canMean('2026-05-06', 'The exam is on 6 May.', 'plan'))
  assert.ok(canMean('2025-05-06', 'The exam was on May 6th.', 'event'))
  assert.ok(!canMean('2026-05-06', 'The exam was on May 6th.', 'event'))
  assert.ok(!canMean('2028-05-06', 'The exam is on 6 May.', 'plan'))
  assert.ok(canMean('2028-05-06', 'The exam is on 6 May.', 'plan', 'So in 2028?'))
  assert.ok(!canMean('2026-05-09', 'The exam is on 6 May.', 'plan'))
  assert.ok(canMean('2026-04-14', 'It is on 14/4.') && canMean('2026-04-14', 'Apr 14 it is.'))
  assert.ok(canMean('2026-06-06', 'On 6 and 7 June.') && canMean('2026-06-07', 'On 6 and 7 June.'))
})

test('words for a time can mean the days near it', () => {
  assert.ok(canMean('2026-03-01', 'Yesterday.') && !canMean('2026-02-27', 'Yesterday.'))
  assert.ok(
    canMean('2026-03-06', 'On Friday.') && canMean('2026-02-27', 'On Fri.') && !canMean('2026-03-05', 'On Friday.'),
  )
  assert.ok(canMean('2026-03-07', 'At the weekend.') && !canMean('2026-03-04', 'At the weekend.'))
  assert.ok(canMean('2026-02-16', 'Two weeks ago.') && canMean('2026-03-12', 'In ten days.'))
  assert.ok(canMean('2026-03-31', 'By the end of the month.') && canMean('2027-12-31', 'By the end of 2027.'))
  assert.ok(
    canMean('2026-07', 'In summer.') && canMean('2025-12', 'Three months ago.') && canMean('2026-04', 'Next month.'),
  )
})

test('a year is written, next or last, or counted', () => {
  assert.ok(canMean('2027', 'By the end of 2027.') && canMean('2027', 'Next year.') && canMean('2025', 'Last summer.'))
  assert.ok(canMean('2025', 'Six at Christmas.'))
  assert.ok(canMean('2016', 'We moved ten years ago.') && !canMean('2017', 'We moved ten years ago.'))
})
