import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saysTheSame } from './sameness.ts'

const base = 'Maya drinks two cups of black coffee with Ben every morning before work.'

test('the same words in the same order say the same, function words and a detail apart', () => {
  assert.ok(saysTheSame('Maya likes black coffee.', 'Maya really likes the black coffee', 0.85))
  assert.ok(saysTheSame(base, base.replace('before', 'long before'), 0.85))
})

test('who turns two things round says something else', () => {
  assert.equal(saysTheSame('Maya prefers tea to coffee.', 'Maya prefers coffee to tea.', 0.85), false)
})

for (const [what, other] of [
  ['a denial', base.replace('drinks', 'never drinks')],
  ['another number', base.replace('two', 'three')],
  ['another name', base.replace('Ben', 'Ana')],
] as const) {
  test(`${what} says something else, however much is shared`, () => assert.equal(saysTheSame(base, other, 0.1), false))
}

test('nothing is the same as nothing', () => assert.equal(saysTheSame('', '…', 0), false))
