/** Full text in a space: BM25, where rarity and length count among the live rows of the space. */
import { inverseDocumentFrequency, lengthNorm, wordScore } from '@loomlog/language/bm25'
import type { SpaceRows } from './space-rows.ts'

export interface WordScores {
  /** The live rows that hold one of the words, each once. */
  readonly numbers: readonly number[]
  /** Scores by the number of the row. */
  readonly scores: Float64Array
}

export function bm25(rows: SpaceRows, words: ReadonlySet<string>): WordScores {
  const mean = Math.max(1, rows.meanWords)
  const scores = new Float64Array(rows.length)
  const numbers: number[] = []
  for (const word of words) {
    const rarity = inverseDocumentFrequency(holdersOf(rows, word), rows.size)
    for (const { block, from } of rows.blocks) {
      const found = block.postings.of(word)
      if (found === null) continue
      for (let n = 0; n < found.rows.length; n += 1) {
        const at = found.rows[n] as number
        const number = from + at
        if (!rows.isLive(number)) continue
        const count = found.counts[n] as number
        const norm = lengthNorm(block.wordCounts[at] as number, mean)
        const before = scores[number] as number
        if (before === 0) numbers.push(number)
        scores[number] = before + wordScore(rarity, count, norm)
      }
    }
  }
  return { numbers, scores }
}

/** The live rows that hold the word. */
function holdersOf(rows: SpaceRows, word: string): number {
  let holders = 0
  for (const { block, from } of rows.blocks) {
    const found = block.postings.of(word)?.rows ?? []
    for (let n = 0; n < found.length; n += 1) if (rows.isLive(from + (found[n] as number))) holders += 1
  }
  return holders
}
