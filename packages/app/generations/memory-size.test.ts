import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lossOf } from './memory-size.ts'

const size = (facts: number, entries: number) => ({ facts, entries })

test('half of the facts and half of the entries are enough, and a live memory without them can lose nothing', () => {
  assert.equal(lossOf(size(47, 12), size(24, 6)), null)
  assert.equal(lossOf(size(2, 0), size(1, 0)), null)
  assert.equal(lossOf(size(0, 0), size(0, 0)), null)
})

test('fewer than half of the facts, or of the entries, is a loss, down to the last one', () => {
  assert.equal(lossOf(size(47, 12), size(0, 0)), '0 facts and 0 entries, and the live one has 47 and 12')
  assert.equal(lossOf(size(47, 12), size(47, 5)), '47 facts and 5 entries, and the live one has 47 and 12')
  assert.equal(lossOf(size(1_001, 0), size(500, 9)), '500 facts and 9 entries, and the live one has 1,001 and 0')
  assert.equal(lossOf(size(1, 0), size(0, 0)), '0 facts and 0 entries, and the live one has 1 and 0')
})
