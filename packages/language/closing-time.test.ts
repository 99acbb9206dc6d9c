/** The time at the end of a sentence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closingTime, commonYear, withoutYear } from './closing-time.ts'

test('a time at the end of a sentence is a cell, and the sentence stands without it', () => {
  const read = (text: string) => {
    const found = closingTime(text)
    return found && [found.time, found.sentence]
  }
  assert.deepEqual(read('Ann sailed to Porto, on 7 May 2023.'), ['2023-05-07', 'Ann sailed to Porto.'])
  assert.deepEqual(read('Ann lives in Porto since May 2023.'), ['2023-05..', 'Ann lives in Porto.'])
  assert.deepEqual(read('The rent is 900, from 1 June 2023 on.'), ['2023-06-01..', 'The rent is 900.'])
  assert.deepEqual(read('Ann pays, by 2027.'), ['..2027', 'Ann pays.'])
  assert.deepEqual(read('Ann is away, from 7 May 2023 to 9 June 2023.'), ['2023-05-07..2023-06-09', 'Ann is away.'])
  assert.deepEqual(read('Ana vive en Linz (2023-05 –).'), ['2023-05..', 'Ana vive en Linz.'])
  assert.deepEqual(read('Ana viaja (2023-05-07 – 2023-05-09).'), ['2023-05-07..2023-05-09', 'Ana viaja.'])
  assert.deepEqual(read('Ana paga (2023-05-07 14:30).'), ['2023-05-07T14:30', 'Ana paga.'])
  assert.deepEqual(read('The pager rang, on 11 June 2025, 03:12.'), ['2025-06-11T03:12', 'The pager rang.'])
})

test('the year that most times share is left out of them', () => {
  const times = ['2023-05-07..', '..2023-06', '2022-01-01', '2023']
  assert.equal(commonYear(times), '2023')
  assert.deepEqual(
    times.map((time) => withoutYear(time, '2023')),
    ['05-07..', '..06', '2022-01-01', '2023'],
  )
  assert.equal(commonYear([]), '')
})

test('a sentence without a closing time, or one that needs it, stays whole', () => {
  for (const text of [
    'Ann sailed on 7 May 2023 to Porto.',
    'The exam is on 7 May 2023.',
    'Offers are due by 20 March 2026.',
    'Ann owns a boat from 1998 parts.',
    'The budget rose from 1200 to 1500.',
    'The price was cut by 1000.',
    '',
  ])
    assert.equal(closingTime(text), null, text)
})
