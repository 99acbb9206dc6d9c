import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candidate } from '../search/candidates.ts'
import { Neighbourhood, rankScores, shares } from './columns.ts'

const said = (conversation: string) => ({ memory: { kind: 'utterance', conversation } }) as Candidate
const column = (...values: readonly number[]) => Float64Array.from(values)
/** Three of one conversation, then two of another. */
const near = new Neighbourhood(['a', 'a', 'a', 'b', 'b'].map(said))

test('neighbours count by distance, and never across conversations', () => {
  assert.deepEqual(near.sum(column(0, 0, 8, 0, 0), [1, 0.5, 0.25]), column(2, 4, 8, 0, 0))
  assert.deepEqual(near.highest(column(1, 0, 8, 4, 0), [1, 0.5]), column(1, 4, 8, 4, 2))
  assert.deepEqual(near.mean(column(3, 0, 6, 4, 2), 1), column(1.5, 3, 3, 3, 3))
  assert.deepEqual(near.beside(column(1, 2, 3, 4, 5), -1), column(0, 1, 2, 0, 4))
  assert.deepEqual(near.beside(column(1, 2, 3, 4, 5), 1), column(2, 3, 0, 5, 0))
})

test('a conversation has one total and one best', () => {
  assert.deepEqual(near.total(column(1, 2, 3, 4, 5)), column(6, 6, 6, 9, 9))
  assert.deepEqual(near.best(column(1, 2, 0, 4, 5)), column(2, 2, 2, 5, 5))
  assert.deepEqual(near.conversations(), [0, 3])
})

test('shares are of the highest value, and a rank score halves with the tenth after the first', () => {
  assert.deepEqual(shares(column(2, 4, -1)), column(0.5, 1, 0))
  assert.deepEqual(shares(column(0, 0)), column(0, 0))
  assert.deepEqual(rankScores(column(0, 3, 5)), column(0, 10 / 11, 1))
})
