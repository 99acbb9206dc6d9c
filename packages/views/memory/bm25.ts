/** Full text in memory, scored by BM25. */
import type { Row } from '../row.ts'
import { wordsOf } from '../words.ts'

const k1 = 1.2
const b = 0.75

/** A row never changes, and is searched again and again. */
const known = new WeakMap<Row, readonly string[]>()

function wordsIn(row: Row): readonly string[] {
  const words = known.get(row) ?? wordsOf(row.text)
  known.set(row, words)
  return words
}

/** How well a row matches the words: 0 where it has none of them. Rarity and length count within `rows`. */
export function bm25(words: readonly string[], rows: readonly Row[]): (row: Row) => number {
  const texts = new Map(rows.map((row) => [row, wordsIn(row)]))
  const total = [...texts.values()].reduce((sum, text) => sum + text.length, 0)
  const mean = Math.max(1, total / Math.max(1, rows.length))
  const rarity = new Map(
    [...new Set(words)].map((word) => {
      const holding = [...texts.values()].filter((text) => text.includes(word)).length
      return [word, Math.log(1 + (rows.length - holding + 0.5) / (holding + 0.5))]
    }),
  )
  return (row) => {
    const text = texts.get(row) ?? []
    const norm = k1 * (1 - b + (b * text.length) / mean)
    let score = 0
    for (const [word, weight] of rarity) {
      const count = text.filter((each) => each === word).length
      score += (weight * count * (k1 + 1)) / (count + norm)
    }
    return score
  }
}
