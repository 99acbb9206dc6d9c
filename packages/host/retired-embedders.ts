/**
 * Vector spaces of embedders that earlier versions came with. Views in them are still searched, by words alone: every
 * text has the zero vector, which is near no other. Nothing is derived or embedded in them any more.
 */
import type { Embedder, VectorSpace } from '@loomlog/models/embedder'

const retired: readonly VectorSpace[] = [{ name: 'use-lite-512', dimensions: 512 }]

/** Null: no earlier version came with an embedder of this vector space. */
export function retiredEmbedder(name: string): Embedder | null {
  const vectorSpace = retired.find((each) => each.name === name)
  if (vectorSpace === undefined) return null
  const embed = async (texts: readonly string[]) => texts.map(() => new Float32Array(vectorSpace.dimensions))
  return { vectorSpace, embed, close: async () => {} }
}
