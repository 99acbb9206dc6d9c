import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseMessage } from '../change.ts'
import { restate } from '../restate.ts'
import { keywords, terms } from '../terms.ts'

/**
 * The long text is as long as an utterance may be. In shorter ones, a quadratic rule is hidden by the linear rest: at 20,000 characters a
 * loop over every fourth pair of them takes as long as everything else.
 */
const longChars = 65_536
const shortChars = longChars / 4
/** Four times the text takes about four times as long; quadratic rules would take sixteen times. */
const maxGrowth = 7
/** Below this, the time is mostly noise. */
const leastMs = 20

/** The least CPU time of several runs, so that other processes of the machine don't count. */
function cpuMs(part: string, chars: number): number {
  const text = part.repeat(chars / part.length)
  const previous = [{ speaker: 'Bob', text }]
  const runs = [1, 2].map((run) => {
    const before = process.cpuUsage()
    restate({ speaker: 'Ann', text, at: 0 }, { addressee: 'Bob', previous, participants: ['Ann', 'Bob'] })
    // Another text in each run, because terms are cached.
    terms(text + ' '.repeat(run))
    keywords([text], 5)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...runs)
}

it('four times the text takes about four times as long, for any text', () => {
  cpuMs('and I went to Rome ', shortChars)
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
    const [short, long] = [cpuMs(part, shortChars), cpuMs(part, longChars)]
    const growth = long / Math.max(short, leastMs)
    assert.ok(growth < maxGrowth, `${JSON.stringify(part)}: ${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`)
  }
})

it('a message is read for changes in linear time, however many commas it has', () => {
  const ms = (chars: number) => {
    const text = 'a b, w '.repeat(chars / 7)
    const runs = [1, 2].map(() => {
      const before = process.cpuUsage()
      parseMessage(text)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    })
    return Math.min(...runs)
  }
  ms(shortChars)
  const [short, long] = [ms(longChars), ms(4 * longChars)]
  assert.ok(long / Math.max(short, leastMs) < maxGrowth, `${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`)
})
