import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRepetition } from './repetition.ts'

const base = 'Maya drinks two cups of black coffee with Ben every morning before work.'

test('sentences with the same words in the same order are the same, despite function words and a detail', () => {
  assert.ok(isRepetition('Maya likes black coffee.', 'Maya really likes the black coffee', 0.85))
  assert.ok(isRepetition(base, base.replace('before', 'long before'), 0.85))
})

test('two swapped things make another statement', () => {
  assert.equal(isRepetition('Maya prefers tea to coffee.', 'Maya prefers coffee to tea.', 0.85), false)
})

for (const [what, other] of [
  ['a denial', base.replace('drinks', 'never drinks')],
  ['another number', base.replace('two', 'three')],
  ['another name', base.replace('Ben', 'Ana')],
] as const) {
  test(`${what} makes another statement, even with many shared words`, () =>
    assert.equal(isRepetition(base, other, 0.1), false))
}

test('two empty sentences are not the same', () => assert.equal(isRepetition('', '…', 0), false))
