import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensOf, withoutLongRuns } from './tokens.ts'

test('no run of white space or of other characters is longer than the tokenizer counts quickly, in any script', () => {
  for (const run of ['\u{1f469}\u200d', 'a', '茶', '!', '\u{1f1f5}\u{1f1f9}', ' ', '\n', '\u00a0']) {
    const text = `A word, ${run.repeat(3_000)} and more.`
    const parts = withoutLongRuns(text)
    assert.equal(parts.join(''), text)
    assert.ok(parts.every((part) => !/\S{258}|\s{258}/u.test(part) && part.isWellFormed()))
  }
})

test('a text with words is counted whole, and a long run nearly as whole', () => {
  assert.deepEqual(withoutLongRuns('Maya moved to Porto. '.repeat(1_000)).length, 1)
  const run = 'a'.repeat(600)
  const [whole, cut] = [tokensOf('a'.repeat(200)) * 3, tokensOf(run)]
  assert.ok(Math.abs(whole - cut) <= 3, `${whole} and ${cut}`)
})

test('special tokens of models are counted as plain text', () => {
  for (const name of ['endoftext', 'im_start', 'im_end', 'fim_prefix', 'fim_middle', 'fim_suffix', 'endofprompt'])
    assert.ok(tokensOf(`Maya wrote <|${name}|>.`) > tokensOf(`Maya wrote ${name}.`))
})

test('white space is what regular expressions take for it', () => {
  for (let code = 0; code < 0x10_000; code += 1) {
    const unit = String.fromCharCode(code)
    const isCut = withoutLongRuns(`${'a'.repeat(256)}${unit}`).length === 2
    if (!/[\ud800-\udfff]/.test(unit)) assert.equal(isCut, /\S/.test(unit), code.toString(16))
  }
})
