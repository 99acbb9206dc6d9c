/** Okapi BM25 over lists of terms, with the usual k1 and b. */
const k1 = 1.5
const b = 0.75

export class Bm25 {
  readonly #counts: readonly ReadonlyMap<string, number>[]
  readonly #lengths: readonly number[]
  readonly #frequency = new Map<string, number>()
  readonly #meanLength: number

  constructor(documents: readonly (readonly string[])[]) {
    this.#counts = documents.map(termCounts)
    this.#lengths = documents.map(({ length }) => length)
    this.#meanLength = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents.length)
    for (const counts of this.#counts) {
      for (const term of counts.keys()) this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + 1)
    }
  }

  /** One score a document. */
  scores(query: readonly string[]): number[] {
    const terms = [...new Set(query)].map((term) => [term, this.#idf(term)] as const)
    return this.#counts.map((counts, at) => {
      const norm = k1 * (1 - b + (b * (this.#lengths[at] ?? 0)) / this.#meanLength)
      let score = 0
      for (const [term, idf] of terms) {
        const count = counts.get(term) ?? 0
        if (count > 0) score += (idf * count * (k1 + 1)) / (count + norm)
      }
      return score
    })
  }

  #idf(term: string): number {
    const holding = this.#frequency.get(term) ?? 0
    return Math.log(1 + (this.#counts.length - holding + 0.5) / (holding + 0.5))
  }
}

function termCounts(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
