/**
 * The default embedder: static word vectors, distilled from all-MiniLM-L6-v2 (README.md). A text's vector is the sum of
 * the vectors of its word pieces: a tenth of a millisecond a text, in this process, without a service, key or network.
 *
 * A text is read up to its 128th piece (about 90 words of English). Its vector has the same bits in every order, batch,
 * thread and process, because the pieces are added one after the other. Unknown pieces (emoji, most words in other
 * scripts) add nothing, so a text of such pieces alone has the zero vector, which is near no text.
 */
import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { type Embedder, embedTexts } from '../embedder.ts'
import { wordVectorSpace } from './vector-space.ts'

/** 128 pieces of English take about 600 characters. */
const maxCharacters = 2_000
const maxPieces = 128

export function wordEmbedder(): Embedder {
  let words: WordVectors | null = null
  return {
    vectorSpace: wordVectorSpace,
    isFast: true,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted()
      words ??= new WordVectors()
      const { vectorOf } = words
      return embedTexts(texts, wordVectorSpace, maxCharacters, async (full) => full.map(vectorOf))
    },
    async close() {},
  }
}

/**
 * `vectors.bin`: a row of int8 for each piece of `tokenizer.json`, then a float32 (little-endian) for each, the scale
 * of its row.
 */
class WordVectors {
  readonly #tokenizer = new Tokenizer(JSON.parse(readFileSync(new URL('tokenizer.json', import.meta.url), 'utf8')), {})
  readonly #rows: Int8Array
  readonly #scales: Float32Array

  constructor() {
    const { buffer, byteOffset, byteLength } = new Uint8Array(readFileSync(new URL('vectors.bin', import.meta.url)))
    const pieces = byteLength / (wordVectorSpace.dimensions + Float32Array.BYTES_PER_ELEMENT)
    this.#rows = new Int8Array(buffer, byteOffset, pieces * wordVectorSpace.dimensions)
    this.#scales = new Float32Array(buffer, byteOffset + this.#rows.length, pieces)
  }

  readonly vectorOf = (text: string): Float64Array => {
    const { dimensions } = wordVectorSpace
    const sum = new Float64Array(dimensions)
    for (const id of this.#tokenizer.encode(text, { add_special_tokens: false }).ids.slice(0, maxPieces)) {
      const scale = this.#scales[id] ?? 0
      const at = id * dimensions
      for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (this.#rows[at + i] ?? 0) * scale
    }
    return sum
  }
}
