/**
 * Vectors for rows. A text that was embedded before for a view of its space is in the cache; one that a decision
 * embedded in this view's vector space is among the recorded answers. Both cost nothing. All other texts are embedded,
 * each distinct one once, and cached.
 */
import type { Embedder } from '@loomlog/models/embedder'
import { fromInt8 } from '@loomlog/models/quantize'
import type { VectorCache } from '@loomlog/models/vector-cache'
import type { CompletionStore } from '@loomlog/runtime/answers'
import { embeddingKey } from '@loomlog/runtime/ask-key'
import type { TableChange } from '@loomlog/views/change'
import type { TableProjection } from '@loomlog/views/project'

export interface VectorSource {
  readonly embedder: Embedder
  readonly completions: Pick<CompletionStore, 'lookup'> & { follow(partition: number): Promise<void> }
  readonly cache: Pick<VectorCache, 'find' | 'keep' | 'forget'>
}

/**
 * The changes, in the order of the projections, with vectors in their rows. @param signal ends it, also between texts
 */
export async function withVectors(
  projected: readonly TableProjection[],
  source: VectorSource,
  signal?: AbortSignal,
): Promise<TableChange[]> {
  const wanted = new Map<string, Set<string>>()
  for (const projection of projected) {
    const { change } = projection
    if (!('embed' in projection) || !('row' in change)) continue
    const { embed } = projection
    const texts = wanted.get(change.row.space) ?? new Set()
    for (const text of embed) texts.add(text)
    wanted.set(change.row.space, texts)
  }
  const vectors = new Map<string, ReadonlyMap<string, Float32Array>>()
  for (const [space, texts] of wanted) vectors.set(space, await vectorsOf(space, [...texts], source, signal))
  return projected.map((projection) => {
    const { change } = projection
    if (!('embed' in projection) || !('row' in change) || projection.embed.length === 0) return change
    const { embed } = projection
    const known = vectors.get(change.row.space)
    const vector = mean(embed.map((text) => known?.get(text) as Float32Array))
    return { ...change, row: { ...change.row, vector } }
  })
}

async function vectorsOf(
  space: string,
  texts: readonly string[],
  { embedder, completions, cache }: VectorSource,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Float32Array>> {
  const vectors = new Map(cache.find(space, texts))
  const missing: string[] = []
  for (const text of texts) {
    if (vectors.has(text)) continue
    const recorded = await completions.lookup(embeddingKey(space, embedder.vectorSpace.name, text))
    if (recorded?.vector) vectors.set(text, fromInt8(new Int8Array(recorded.vector)))
    else missing.push(text)
  }
  // One at a time, in the shape that decisions use: a text that views and decisions both need is then embedded once.
  const found =
    missing.length === 0 ? [] : await embedder.embed(missing, { shape: 'one-at-a-time', ...(signal && { signal }) })
  const made = new Map(missing.map((text, index) => [text, found[index] as Float32Array]))
  await cache.keep(space, made)
  for (const [text, vector] of made) vectors.set(text, vector)
  return vectors
}

/** The mean, scaled to length 1; null if it is zero. */
function mean(vectors: readonly Float32Array[]): Float32Array | null {
  const [first = new Float32Array(), ...others] = vectors
  const sum = first.slice()
  for (const vector of others) for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  let squares = 0
  for (const value of sum) squares += value * value
  if (squares === 0) return null
  const length = Math.sqrt(squares)
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) / length
  return sum
}
