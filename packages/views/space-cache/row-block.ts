/** Rows of one space as they came from a table: column by column, with their vectors as 8-bit integers and their words. */
import { quantized } from '../int8-vectors.ts'
import type { Row, StoredRow } from '../row.ts'
import { wordsOf } from '../words.ts'
import { paddedLength } from './dot-product.ts'

export interface RowBlock {
  readonly rows: readonly Row[]
  /** Vectors one after the other, each filled up to `paddedLength`. */
  readonly vectors: Int8Array
  /** 1 / the length of each vector; 0: the row has none. */
  readonly scales: Float32Array
  /** By word: the rows that hold it, ascending. */
  readonly postings: ReadonlyMap<string, Occurrences>
  /** How many words each row has. */
  readonly wordCounts: Uint32Array
  /** Estimated. */
  readonly bytes: number
}

/** The rows that hold a word, and how often each does. */
export interface Occurrences {
  readonly rows: readonly number[]
  readonly counts: readonly number[]
}

/** Bytes of a row beside its texts and vector, of an id, and of a word of a text with its posting; measured. */
const rowBytes = 700
const idBytes = 90
const wordBytes = 24

export function rowBlock(stored: readonly StoredRow[], dimensions: number): RowBlock {
  const stride = paddedLength(dimensions)
  const vectors = new Int8Array(stored.length * stride)
  const scales = new Float32Array(stored.length)
  const wordCounts = new Uint32Array(stored.length)
  const postings = new Map<string, { rows: number[]; counts: number[] }>()
  let bytes = vectors.byteLength
  const rows = stored.map(({ vector, ...row }, at) => {
    if (vector !== null) {
      const { values, scale } = quantized(vector)
      vectors.set(values, at * stride)
      scales[at] = scale
    }
    const words = wordsOf(row.text)
    wordCounts[at] = words.length
    for (const word of words) count(postings, word, at)
    bytes += rowBytes + row.sources.length * idBytes + 2 * row.text.length + wordBytes * words.length
    return row as Row
  })
  return { rows, vectors, scales, postings, wordCounts, bytes }
}

/** The rows of one block, then those of the next. */
export function mergedBlock(first: RowBlock, next: RowBlock): RowBlock {
  const postings = new Map<string, { rows: number[]; counts: number[] }>()
  for (const [word, { rows, counts }] of first.postings) postings.set(word, { rows: [...rows], counts: [...counts] })
  for (const [word, { rows, counts }] of next.postings) {
    const posting = postings.get(word) ?? { rows: [], counts: [] }
    postings.set(word, posting)
    for (const row of rows) posting.rows.push(first.rows.length + row)
    posting.counts.push(...counts)
  }
  const vectors = new Int8Array(first.vectors.length + next.vectors.length)
  vectors.set(first.vectors)
  vectors.set(next.vectors, first.vectors.length)
  return {
    rows: [...first.rows, ...next.rows],
    vectors,
    scales: Float32Array.of(...first.scales, ...next.scales),
    postings,
    wordCounts: Uint32Array.of(...first.wordCounts, ...next.wordCounts),
    bytes: first.bytes + next.bytes,
  }
}

function count(postings: Map<string, { rows: number[]; counts: number[] }>, word: string, row: number): void {
  const posting = postings.get(word)
  if (posting === undefined) postings.set(word, { rows: [row], counts: [1] })
  else if (posting.rows.at(-1) === row) posting.counts[posting.counts.length - 1] = (posting.counts.at(-1) ?? 0) + 1
  else {
    posting.rows.push(row)
    posting.counts.push(1)
  }
}
