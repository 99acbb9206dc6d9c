/** Full text in a space: BM25, where rarity and length count among the live rows of the space. */
import type { SpaceRows } from './space-rows.ts'

const k1 = 1.2
const b = 0.75

/** By the number of the row: the score of every live row that holds one of the words. */
export function bm25(rows: SpaceRows, words: ReadonlySet<string>): ReadonlyMap<number, number> {
  const mean = Math.max(1, rows.meanWords)
  const scores = new Map<number, number>()
  for (const word of words) {
    const found: { readonly number: number; readonly count: number; readonly length: number }[] = []
    for (const { block, from } of rows.blocks) {
      const occurrences = block.postings.of(word)
      for (let n = 0; n < (occurrences?.rows.length ?? 0); n += 1) {
        const at = occurrences?.rows[n] ?? 0
        if (!rows.isLive(from + at)) continue
        found.push({ number: from + at, count: occurrences?.counts[n] ?? 0, length: block.wordCounts[at] ?? 0 })
      }
    }
    const rarity = Math.log(1 + (rows.size - found.length + 0.5) / (found.length + 0.5))
    for (const { number, count, length } of found) {
      const norm = k1 * (1 - b + (b * length) / mean)
      scores.set(number, (scores.get(number) ?? 0) + (rarity * count * (k1 + 1)) / (count + norm))
    }
  }
  return scores
}
