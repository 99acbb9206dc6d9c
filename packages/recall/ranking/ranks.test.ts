import assert from 'node:assert/strict'
import { test } from 'node:test'
import { highestOf, rankScores } from './ranks.ts'

const values = (...numbers: readonly number[]) => Float64Array.from(numbers)

/** Few different values, so that many are equal. */
const examples = Array.from({ length: 50 }, (_, n) =>
  Float64Array.from({ length: n }, (_, at) => ((at * at * n) % 11) - 3),
)

test('the highest come best first, and of equal values the first candidate', () => {
  assert.deepEqual(highestOf(values(1, 3, 2, 3), 3), [1, 3, 2])
  assert.deepEqual(highestOf(values(), 3), [])
  assert.deepEqual(highestOf(values(1, -Infinity, 2), 3), [2, 0])
  for (const example of examples) {
    const order = [...example.keys()].sort((x, y) => (example[y] ?? 0) - (example[x] ?? 0))
    for (const n of [1, 5, 80]) assert.deepEqual(highestOf(example, n), order.slice(0, n))
  }
})

test('a rank score halves with the tenth after the first, and a value of 0 has no rank', () => {
  assert.deepEqual(rankScores(values(0, 3, 5)), values(0, 10 / 11, 1))
  for (const example of examples) {
    const order = [...example.keys()].filter((at) => (example[at] ?? 0) > 0)
    order.sort((x, y) => (example[y] ?? 0) - (example[x] ?? 0))
    const expected = new Float64Array(example.length)
    for (const [rank, at] of order.entries()) expected[at] = 10 / (10 + rank)
    assert.deepEqual(rankScores(example), expected)
  }
})
