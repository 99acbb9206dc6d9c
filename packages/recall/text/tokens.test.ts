import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensOf, withoutLongRuns } from './tokens.ts'

test('no run without white space is longer than the tokenizer counts quickly, in any script', () => {
  for (const run of ['\u{1f469}\u200d', 'a', '茶', '!', '\u{1f1f5}\u{1f1f9}']) {
    const text = `A word, ${run.repeat(3_000)} and more.`
    const parts = withoutLongRuns(text)
    assert.equal(parts.join(''), text)
    assert.ok(parts.every((part) => !/\S{258}/u.test(part)))
  }
})

test('a text with words is counted whole, and a long run nearly as whole', () => {
  assert.deepEqual(withoutLongRuns('Maya moved to Porto. '.repeat(1_000)).length, 1)
  const run = 'a'.repeat(600)
  const [whole, cut] = [tokensOf('a'.repeat(200)) * 3, tokensOf(run)]
  assert.ok(Math.abs(whole - cut) <= 3, `${whole} and ${cut}`)
})
