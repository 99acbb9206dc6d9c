import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxNames, nearestNames } from './nearest-names.ts'

test('the nearest names have most pairs of letters in common, in any case; equal ones come in their order', async () => {
  assert.deepEqual(await nearestNames(['ADA', 'Bo'], ['Bob', 'Ada', 'Zed', 'Adam']), [
    ['Ada', 'Adam', 'Bob'],
    ['Bob', 'Ada', 'Adam'],
  ])
  assert.deepEqual(await nearestNames(['Ada'], []), [[]])
})

test('names beyond the limit are left out, and other work has its turn meanwhile', async () => {
  const names = Array.from({ length: 10 * maxNames }, (_, at) => `${at}`.padStart(256, 'x'))
  let turns = 0
  let timer = setImmediate(function next() {
    turns += 1
    timer = setImmediate(next)
  })
  const nearest = await nearestNames([`${maxNames}`, '5'], [...names, '5'])
  clearImmediate(timer)
  assert.equal(nearest.flat().includes('5'), false)
  assert.ok(turns > 10, `${turns} turns`)
})
