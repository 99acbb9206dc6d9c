import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isQuadratic, leastMsOf, lengthFactor } from '../../../test/linear-time/growth.ts'
import { parseMessage } from '../change.ts'
import { restate } from '../restate.ts'
import { keywords, terms } from '../terms.ts'

/**
 * The long text is as long as an utterance may be. In shorter ones, a quadratic rule is hidden by the linear rest: at
 * 20,000 characters a loop over every fourth pair of them takes as long as everything else.
 */
const longChars = 65_536
const shortChars = longChars / lengthFactor
function msOf(part: string, chars: number): number {
  const text = part.repeat(chars / part.length)
  const previous = [{ speaker: 'Bob', text }]
  let run = 0
  return leastMsOf(() => {
    restate({ speaker: 'Ann', text, at: 0 }, { addressee: 'Bob', previous, participants: ['Ann', 'Bob'] })
    // Another text in each run, because terms are cached.
    run += 1
    terms(text + ' '.repeat(run))
    keywords([text], 5)
  })
}

/** Asserts linear time. Measures once more before it fails. */
function assertLinear(ms: (chars: number) => number, chars: number, name: string): void {
  const shown: string[] = []
  const isSlow = [1, 2].every(() => {
    const [short, long] = [ms(chars), ms(lengthFactor * chars)]
    shown.push(`${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`)
    return isQuadratic(short, long)
  })
  assert.ok(!isSlow, `${name}: ${shown.join('; ')}`)
}

it('four times the text takes about four times as long, for any text', () => {
  msOf('and I went to Rome ', shortChars)
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
    assertLinear((chars) => msOf(part, chars), shortChars, JSON.stringify(part))
  }
})

it('a message is read for changes in linear time, however many commas it has', () => {
  const ms = (chars: number) => {
    const text = 'a b, w '.repeat(chars / 7)
    return leastMsOf(() => parseMessage(text))
  }
  ms(shortChars)
  assertLinear(ms, longChars, 'commas')
})
