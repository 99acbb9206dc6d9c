/** Rows of one space in memory: their columns, their vectors as 8-bit integers, and their words. */
import { paddedLength, quantized } from '../int8-vectors.ts'
import type { Row, StoredRow } from '../row.ts'
import { wordsOf } from '../words.ts'
import { type Postings, PostingsBuilder } from './postings.ts'

export interface RowBlock {
  readonly length: number
  row(at: number): Row
  /** The values of a column, by row. */
  column(field: string): readonly unknown[]
  /** Vectors one after the other, each filled up to `paddedLength`. */
  readonly vectors: Int8Array
  /** 1 / the length of each vector; 0: the row has none. */
  readonly scales: Float32Array
  /** Number of words by row. */
  readonly wordCounts: Uint32Array
  readonly postings: Postings
  /** Estimated size in memory. */
  readonly bytes: number
}

/** Measured bytes of a row without its text, sources and vector; of a source's id; of a word with its posting. */
const rowBytes = 700
const idBytes = 90
const wordBytes = 24

export function rowBlock(stored: readonly StoredRow[], dimensions: number): RowBlock {
  const stride = paddedLength(dimensions)
  const vectors = new Int8Array(stored.length * stride)
  const scales = new Float32Array(stored.length)
  const wordCounts = new Uint32Array(stored.length)
  const postings = new PostingsBuilder()
  const rows = stored.map(({ vector, ...row }, at) => {
    if (vector !== null) {
      const { values, scale } = quantized(vector)
      vectors.set(values, at * stride)
      scales[at] = scale
    }
    const words = wordsOf(row.text)
    wordCounts[at] = words.length
    for (const word of words) postings.add(word, at, 1)
    return row as Row
  })
  return withRows(rows, { vectors, scales, wordCounts, postings: postings.build() })
}

/** The rows at these places of a block, or all of its rows. */
export interface BlockPart {
  readonly block: RowBlock
  /** Ascending. Default: all. */
  readonly places?: readonly number[]
}

/** Rows of one block, then those of the next. */
export function mergedBlock(parts: readonly BlockPart[]): RowBlock {
  const chosen = parts.map(({ block, places }) => ({ block, places: places ?? [...Array(block.length).keys()] }))
  const length = chosen.reduce((sum, { places }) => sum + places.length, 0)
  const stride = strideOf(parts)
  const vectors = new Int8Array(length * stride)
  const scales = new Float32Array(length)
  const wordCounts = new Uint32Array(length)
  const postings = new PostingsBuilder()
  const rows: Row[] = []
  for (const { block, places } of chosen) {
    const newPlaces = new Int32Array(block.length).fill(-1)
    for (const place of places) {
      const at = rows.length
      newPlaces[place] = at
      vectors.set(block.vectors.subarray(place * stride, (place + 1) * stride), at * stride)
      scales[at] = block.scales[place] ?? 0
      wordCounts[at] = block.wordCounts[place] ?? 0
      rows.push(block.row(place))
    }
    for (const [index, word] of block.postings.words.entries()) {
      const { rows, counts } = block.postings.at(index)
      for (let n = 0; n < rows.length; n += 1) {
        const at = newPlaces[rows[n] ?? -1] ?? -1
        if (at >= 0) postings.add(word, at, counts[n] ?? 0)
      }
    }
  }
  return withRows(rows, { vectors, scales, wordCounts, postings: postings.build() })
}

function strideOf(parts: readonly BlockPart[]): number {
  const [block] = parts.flatMap(({ block }) => (block.length > 0 ? [block] : []))
  return block === undefined ? 0 : block.vectors.length / block.length
}

type SearchColumns = Pick<RowBlock, 'vectors' | 'scales' | 'wordCounts' | 'postings'>

function withRows(rows: readonly Row[], search: SearchColumns): RowBlock {
  const { vectors, wordCounts } = search
  let bytes = vectors.byteLength
  for (const [at, { sources, text }] of rows.entries()) {
    bytes += rowBytes + sources.length * idBytes + 2 * text.length + wordBytes * (wordCounts[at] ?? 0)
  }
  return {
    ...search,
    length: rows.length,
    row: (at) => rows[at] as Row,
    column: (field) => rows.map((row) => row[field as keyof Row]),
    bytes,
  }
}
