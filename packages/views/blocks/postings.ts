/**
 * An inverted index: words, and the rows that hold each. In typed arrays, so that it is stored and read back without a
 * loop over words.
 */

/** The rows that hold a word, ascending, and how often each does. */
export interface Occurrences {
  readonly rows: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

/** Counts are cut to 16 bits: higher ones make no difference to a score. */
const mostCounted = 65_535

export class Postings {
  readonly words: readonly string[]
  /** By index of the word: where its occurrences begin; one more for the end. */
  readonly starts: Uint32Array
  readonly rows: Uint16Array | Uint32Array
  readonly counts: Uint16Array
  #indexes: ReadonlyMap<string, number> | null = null

  constructor({ words, starts, rows, counts }: Pick<Postings, 'words' | 'starts' | 'rows' | 'counts'>) {
    this.words = words
    this.starts = starts
    this.rows = rows
    this.counts = counts
  }

  of(word: string): Occurrences | null {
    this.#indexes ??= new Map(this.words.map((word, index) => [word, index]))
    const index = this.#indexes.get(word)
    return index === undefined ? null : this.at(index)
  }

  /** The occurrences of the word with this index. */
  at(index: number): Occurrences {
    const [from, to] = [this.starts[index], this.starts[index + 1]]
    return { rows: this.rows.subarray(from, to), counts: this.counts.subarray(from, to) }
  }
}

/** Collects occurrences, row after row. */
export class PostingsBuilder {
  readonly #byWord = new Map<string, { readonly rows: number[]; readonly counts: number[] }>()

  /** @param row not less than in the call before */
  add(word: string, row: number, count: number): void {
    const { rows, counts } = this.#byWord.get(word) ?? this.#begin(word)
    const last = rows.length - 1
    if (rows[last] === row) counts[last] = Math.min(mostCounted, (counts[last] ?? 0) + count)
    else {
      rows.push(row)
      counts.push(Math.min(mostCounted, count))
    }
  }

  build(): Postings {
    const words = [...this.#byWord.keys()]
    const starts = new Uint32Array(words.length + 1)
    const all = [...this.#byWord.values()]
    for (const [index, { rows }] of all.entries()) starts[index + 1] = (starts[index] ?? 0) + rows.length
    const rows = new Uint32Array(starts.at(-1) ?? 0)
    const counts = new Uint16Array(rows.length)
    for (const [index, occurrences] of all.entries()) {
      rows.set(occurrences.rows, starts[index])
      counts.set(occurrences.counts, starts[index])
    }
    return new Postings({ words, starts, rows, counts })
  }

  #begin(word: string) {
    const occurrences = { rows: [], counts: [] }
    this.#byWord.set(word, occurrences)
    return occurrences
  }
}
