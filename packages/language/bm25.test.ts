import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bm25Scores, inverseDocumentFrequency, lengthNorm, wordScore } from './bm25.ts'

test('a word of few texts weighs more than one of many, and a word of all texts still counts', () => {
  assert.equal(inverseDocumentFrequency(1, 3), Math.log(1 + 2.5 / 1.5))
  assert.ok(inverseDocumentFrequency(0, 3) > inverseDocumentFrequency(1, 3))
  assert.ok(inverseDocumentFrequency(3, 3) > 0)
})

test('the norm of a text of mean length is k1; of its length, three quarters count', () => {
  assert.equal(lengthNorm(8, 8), 1.2)
  assert.equal(lengthNorm(16, 8), 1.2 * 1.75)
  assert.equal(lengthNorm(0, 8), 1.2 * 0.25)
  assert.equal(lengthNorm(8, 8, 1.5), 1.5)
})

test('a word that occurs once in a text of mean length has its weight; more often, at most k1 + 1 times that', () => {
  assert.ok(Math.abs(wordScore(2, 1, 1.2) - 2) < 1e-12)
  assert.equal(wordScore(2, 0, 1.2), 0)
  const often = wordScore(2, 10_000, 1.2)
  assert.ok(often < 2 * 2.2 && often > 2 * 2.19)
})

test('texts are scored by each word of the query once, in words of their own length', () => {
  const texts = [['tea', 'tea', 'cup'], ['cup'], ['boat', 'at', 'sea', 'now', 'and', 'then'], []]
  const scores = bm25Scores(texts, ['tea', 'cup', 'tea'])
  const tea = Math.log(1 + 3.5 / 1.5)
  const cup = Math.log(1 + 2.5 / 2.5)
  // The mean length is 2.5 words.
  const first = 1.2 * (0.25 + (0.75 * 3) / 2.5)
  const second = 1.2 * (0.25 + 0.75 / 2.5)
  const expected = [(tea * 2 * 2.2) / (2 + first) + (cup * 2.2) / (1 + first), (cup * 2.2) / (1 + second), 0, 0]
  for (const [at, score] of scores.entries()) assert.ok(Math.abs(score - (expected[at] ?? 0)) < 1e-12, `text ${at}`)
  assert.equal(scores.length, 4)
  assert.deepEqual(bm25Scores([], ['tea']), [])
})
