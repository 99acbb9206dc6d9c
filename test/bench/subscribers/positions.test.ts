import assert from 'node:assert/strict'
import test from 'node:test'
import { Positions } from './positions.ts'

function taken(...all: readonly number[]) {
  const positions = new Positions()
  for (const position of all) positions.take(position)
  const { received, gaps, repeated } = positions
  return { received, gaps, repeated }
}

test('a gap of any size is one gap, and its events are not received', () => {
  assert.deepEqual(taken(0, 1, 9), { received: 3, gaps: 1, repeated: 0 })
  assert.deepEqual(taken(3, 4, 6), { received: 3, gaps: 2, repeated: 0 })
})

test('a repeated event is not received again, so it makes up for no missing one', () => {
  assert.deepEqual(taken(0, 1, 1, 0, 2), { received: 3, gaps: 0, repeated: 2 })
})
