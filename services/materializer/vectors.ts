/**
 * Vectors for rows. A text that a decision asked to be embedded, in the space of this view, is found among the recorded answers
 * and costs nothing; the others are embedded, each distinct text once.
 */
import type { Embedder } from '@loomlog/models/embedder'
import { fromInt8 } from '@loomlog/models/quantize'
import type { AnswerBook } from '@loomlog/runtime/answers'
import { embeddingKey } from '@loomlog/runtime/answers'
import type { RowChange } from '@loomlog/views/change'
import type { Projected } from './projections.ts'

export interface VectorSource {
  readonly embedder: Embedder
  readonly book: Pick<AnswerBook, 'lookup'> & { follow(partition: number): Promise<void> }
}

/** The changes, their rows with vectors, in the order given. */
export async function withVectors(projected: readonly Projected[], source: VectorSource): Promise<RowChange[]> {
  const wanted = new Map<string, { readonly space: string; readonly text: string }>()
  for (const { change, embed } of projected) {
    if (!('row' in change)) continue
    for (const text of embed) wanted.set(text, { space: change.row.space, text })
  }
  const vectors = await embedAll([...wanted.values()], source)
  return projected.map(({ change, embed }) => {
    if (!('row' in change) || embed.length === 0) return change
    const vector = mean(embed.map((text) => vectors.get(text) as Float32Array))
    return { ...change, row: { ...change.row, vector } }
  })
}

async function embedAll(
  wanted: readonly { readonly space: string; readonly text: string }[],
  { embedder, book }: VectorSource,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  const missing: string[] = []
  for (const { space, text } of wanted) {
    const recorded = await book.lookup(embeddingKey(space, embedder.space.name, text))
    if (recorded?.vector) vectors.set(text, fromInt8(new Int8Array(recorded.vector)))
    else missing.push(text)
  }
  // One at a time, like decisions: a text that both need is then embedded once, whoever comes first.
  const found = await embedder.embed(missing, { shape: 'one-at-a-time' })
  for (const [index, text] of missing.entries()) vectors.set(text, found[index] as Float32Array)
  return vectors
}

function mean(vectors: readonly Float32Array[]): Float32Array | null {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) for (const [index, value] of vector.entries()) sum[index] = (sum[index] ?? 0) + value
  const length = Math.hypot(...sum)
  return length === 0 ? null : sum.map((value) => value / length)
}
