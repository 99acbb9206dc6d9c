import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowBlock } from '../blocks/row-block.ts'
import { equals, isNull } from '../condition.ts'
import { testRow } from '../contract/setup.ts'
import { conditionCacheBytes, matchingRows } from './find-rows.ts'
import { SpaceRows } from './space-rows.ts'

test('the condition of every recall stays cached beside one-time conditions; cached results count as memory', () => {
  const rows = new SpaceRows()
  rows.add(rowBlock([testRow('a', 0), testRow('b', 1)], 4))
  let evaluations = 0
  const reader = rows.reader.bind(rows)
  rows.reader = (cursor) => {
    evaluations += 1
    return reader(cursor)
  }
  assert.equal(conditionCacheBytes(rows), 0)
  for (let time = 0; time < 10; time += 1) {
    matchingRows(rows, isNull('knownTo'))
    matchingRows(rows, equals('at', time + 1_000))
  }
  assert.equal(evaluations, 11)
  assert.ok(conditionCacheBytes(rows) >= 4 * 2 && conditionCacheBytes(rows) <= 4 * 5 * 2)
})
