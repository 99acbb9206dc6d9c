import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restate } from '../restate.ts'
import { keywords, terms } from '../terms.ts'

const chars = 20_000
const maxMs = 3_000

it('no text of 20,000 characters takes long, whatever it is made of', () => {
  for (const part of [
    ',',
    ' ',
    ', ',
    '(',
    '\n',
    'a',
    'ab1-',
    'and ',
    '" ',
    'on Friday ',
    'in April ',
    'and I went to Rome ',
  ]) {
    const text = part.repeat(chars / part.length)
    const start = performance.now()
    const previous = [{ speaker: 'Bob', text }]
    restate({ speaker: 'Ann', text, at: 0 }, { addressee: 'Bob', previous, participants: ['Ann', 'Bob'] })
    terms(text)
    keywords([text], 5)
    const tookMs = performance.now() - start
    assert.ok(tookMs < maxMs, `${Math.round(tookMs)} ms for ${JSON.stringify(part)}`)
  }
})
