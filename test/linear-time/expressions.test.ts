/** Every expression that meets people's text takes linear time: a quadratic one takes some 20 ms and more for 16,384 characters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literalsIn, sourcesOfText } from './expressions.ts'
import { singleClassTexts } from './single-class-texts.ts'

const bytes = 16_384
const mostMs = 12
const attempts = 3

/** Expressions whose text is bounded where they are used: the beginning of the literal, and the most characters. */
const bounded: readonly (readonly [string, number])[] = [
  // `maxJudgedChars` of a line.
  ['packages/language/restate/prose.ts: /(?:\\b[\\w.]+=', 400],
  // `maxSentenceChars` around a time.
  ['packages/language/time-reading.ts: /\\b(?:moved|pushed', 400],
]

test('every expression that meets people’s text takes linear time', () => {
  const texts = Object.values(singleClassTexts(bytes)).flatMap((text) => [text, `x${text}#`, text.trimEnd()])
  const slow = sourcesOfText()
    .flatMap(literalsIn)
    .filter(({ at, pattern }) => {
      const [, most = bytes] = bounded.find(([literal]) => at.startsWith(literal)) ?? []
      return texts.some((text) => isSlow(pattern, text.slice(0, most)))
    })
  assert.deepEqual(
    slow.map(({ at }) => at),
    [],
  )
})

/** The least of several times of this thread: another process or a collection of garbage lengthens some of them. */
function isSlow({ source, flags }: RegExp, text: string): boolean {
  const pattern = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
  return Array.from({ length: attempts }).every(() => {
    const before = process.threadCpuUsage()
    text.replace(pattern, '')
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000 > mostMs
  })
}
