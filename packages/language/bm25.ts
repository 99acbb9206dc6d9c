/**
 * BM25, the score of a text for the words of a query: the formula, its constants, and the inverse document frequency.
 * Full text, ranking and the baselines of evaluations count words in structures of their own, and score by these
 * functions.
 */

/** k1: the higher, the more often a word must occur until more occurrences hardly count. */
const defaultK1 = 1.2
/** The part of the norm that depends on the length of the text, 0 to 1. */
const b = 0.75

/** How rare a word is: near 0 if all texts hold it. @param holders the texts that hold the word */
export function inverseDocumentFrequency(holders: number, texts: number): number {
  return Math.log(1 + (texts - holders + 0.5) / (holders + 0.5))
}

/**
 * The norm of a text by its length: k1 for a text of mean length. Length and mean have the same unit, words or shares.
 */
export function lengthNorm(length: number, meanLength: number, k1 = defaultK1): number {
  return k1 * (1 - b + (b * length) / meanLength)
}

/**
 * The part of a word in the score of a text.
 *
 * @param weight of the word: its inverse document frequency, times a weight of its own if it has one
 * @param count how often the text holds the word
 */
export function wordScore(weight: number, count: number, norm: number, k1 = defaultK1): number {
  return (weight * count * (k1 + 1)) / (count + norm)
}

/** The score of each text, by brute force: 0 if it holds no word of the query. */
export function bm25Scores(
  texts: readonly (readonly string[])[],
  query: readonly string[],
  k1 = defaultK1,
): readonly number[] {
  const total = texts.reduce((sum, { length }) => sum + length, 0)
  const meanLength = Math.max(1, total / texts.length)
  const norms = texts.map(({ length }) => lengthNorm(length, meanLength, k1))
  const scores = texts.map(() => 0)
  for (const word of new Set(query)) {
    const counts = texts.map((text) => text.filter((each) => each === word).length)
    const weight = inverseDocumentFrequency(counts.filter((count) => count > 0).length, texts.length)
    for (const [at, count] of counts.entries()) {
      scores[at] = (scores[at] ?? 0) + wordScore(weight, count, norms[at] ?? 0, k1)
    }
  }
  return scores
}
