import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candidate } from '../search/candidates.ts'
import { Neighbourhood, sharesOfHighest } from './candidate-values.ts'

const said = (conversation: string) => ({ memory: { kind: 'utterance', conversation } }) as Candidate
const values = (...numbers: readonly number[]) => Float64Array.from(numbers)
/** Three of one conversation, then two of another. */
const near = new Neighbourhood(['a', 'a', 'a', 'b', 'b'].map(said))

test('neighbours count by distance, and never across conversations', () => {
  assert.deepEqual(near.sum(values(0, 0, 8, 0, 0), [1, 0.5, 0.25]), values(2, 4, 8, 0, 0))
  assert.deepEqual(near.highest(values(1, 0, 8, 4, 0), [1, 0.5]), values(1, 4, 8, 4, 2))
  assert.deepEqual(near.mean(values(3, 0, 6, 4, 2), 1), values(1.5, 3, 3, 3, 3))
  assert.deepEqual(near.beside(values(1, 2, 3, 4, 5), -1), values(0, 1, 2, 0, 4))
  assert.deepEqual(near.beside(values(1, 2, 3, 4, 5), 1), values(2, 3, 0, 5, 0))
})

test('a conversation has one total and one best', () => {
  assert.deepEqual(near.total(values(1, 2, 3, 4, 5)), values(6, 6, 6, 9, 9))
  assert.deepEqual(near.best(values(1, 2, 0, 4, 5)), values(2, 2, 2, 5, 5))
  assert.deepEqual(near.conversations(), [0, 3])
})

test('shares are of the highest value', () => {
  assert.deepEqual(sharesOfHighest(values(2, 4, -1)), values(0.5, 1, 0))
  assert.deepEqual(sharesOfHighest(values(0, 0)), values(0, 0))
})
