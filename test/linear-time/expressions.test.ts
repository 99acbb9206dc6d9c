/** Every expression that meets people's text takes linear time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literalsIn, sourcesOfText } from './expressions.ts'
import { isQuadratic, leastMsOf, lengthFactor } from './growth.ts'
import { singleClassTexts } from './single-class-texts.ts'

const bytes = 16_384
/**
 * A quadratic expression takes some 20 ms and more for these bytes. Those that take less than this are measured no
 * further.
 */
const quickMs = 10
const timeoutMs = 500_000

/** Expressions whose text is bounded where they are used: the beginning of the literal, and the most characters. */
const bounded: readonly (readonly [string, number])[] = [
  // `maxJudgedChars` of a line.
  ['packages/language/restate/prose.ts: /(?:\\b[\\w.]+=', 400],
  // `maxSentenceChars` around a time.
  ['packages/language/time-reading.ts: /\\b(?:moved|pushed', 400],
]
/** A bounded expression takes a few milliseconds; the rest is for slow machines. */
const mostBoundedMs = 200

test('every expression that meets people’s text takes linear time', { timeout: timeoutMs }, () => {
  const short = textsOf(bytes)
  const long = textsOf(lengthFactor * bytes)
  const slow = sourcesOfText()
    .flatMap(literalsIn)
    .filter(({ at, pattern }) => {
      const [, most] = bounded.find(([literal]) => at.startsWith(literal)) ?? []
      return short.some((text, n) =>
        most === undefined
          ? isSlow(pattern, text, long[n] ?? '')
          : replacementMs(pattern, text.slice(0, most)) > mostBoundedMs,
      )
    })
  assert.deepEqual(
    slow.map(({ at }) => at),
    [],
  )
})

function textsOf(size: number): readonly string[] {
  return Object.values(singleClassTexts(size)).flatMap((text) => [text, `x${text}#`, text.trimEnd()])
}

/** Measures twice before it says so. */
function isSlow(pattern: RegExp, short: string, long: string): boolean {
  return [1, 2].every(() => {
    const shortMs = replacementMs(pattern, short)
    return shortMs > quickMs && isQuadratic(shortMs, replacementMs(pattern, long))
  })
}

function replacementMs({ source, flags }: RegExp, text: string): number {
  const pattern = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
  return leastMsOf(() => text.replace(pattern, ''))
}
