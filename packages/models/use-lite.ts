/**
 * The embedder `use-lite`: the Universal Sentence Encoder lite from npm, in worker threads, so that it doesn't block
 * the event loop. It needs no service, key or network. A text is read up to its 128th token (about 90 words).
 *
 * One at a time, a text has the same bits in every order, thread and process of one machine; in batches they differ around the
 * seventh digit.
 */
import { extname } from 'node:path'
import { type Embedder, embedTexts, type VectorSpace } from './embedder.ts'
import { workerPool } from './worker-pool.ts'

/** 128 tokens of English take about 600 characters; the tokenizer's time grows with the square of the length. */
const maxCharacters = 2_000
const maxTextsPerBatch = 32

const space: VectorSpace = { name: 'use-lite-512', dimensions: 512 }

/** @param threads default 1. Each uses a core while it works, and has its own copy of the weights */
export function useLite({ threads = 1 }: { readonly threads?: number } = {}): Embedder {
  const script = new URL(`./use-lite-worker${extname(import.meta.url)}`, import.meta.url)
  const pool = workerPool<readonly string[], readonly Float32Array[]>({ name: space.name, script, threads })

  /** Sorted by length, so that short texts don't wait in one batch with a long text. */
  async function inBatches(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const byLength = [...texts.entries()].sort(([, a], [, b]) => a.length - b.length)
    const vectors = new Array<Float32Array>(texts.length)
    const batches = []
    for (let at = 0; at < byLength.length; at += maxTextsPerBatch) {
      const batch = byLength.slice(at, at + maxTextsPerBatch)
      batches.push(
        pool
          .run(
            batch.map(([, text]) => text),
            signal,
          )
          .then((found) => {
            for (const [i, [place]] of batch.entries()) vectors[place] = found[i] as Float32Array
          }),
      )
    }
    await Promise.all(batches)
    return vectors
  }

  async function oneAtATime(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    return (await Promise.all(texts.map((text) => pool.run([text], signal)))).flat()
  }

  return {
    vectorSpace: space,
    async embed(texts, { shape = 'one-at-a-time', signal } = {}) {
      signal?.throwIfAborted()
      const embedAll = shape === 'batched' ? inBatches : oneAtATime
      return await embedTexts(texts, space, maxCharacters, (full) => embedAll(full, signal))
    },
    close: () => pool.close(),
  }
}
