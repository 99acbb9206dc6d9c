/** Full text in memory, scored by BM25. */
import type { Row } from '../row.ts'
import { wordsOf } from '../words.ts'

const k1 = 1.2
const b = 0.75

/** The words of rows, which never change. */
const wordsByRow = new WeakMap<Row, readonly string[]>()

function wordsIn(row: Row): readonly string[] {
  const words = wordsByRow.get(row) ?? wordsOf(row.text)
  wordsByRow.set(row, words)
  return words
}

/** Scores a row by the words; 0: it has none of them. Rarity and mean length are those of `rows`. */
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
