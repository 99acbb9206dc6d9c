/**
 * Embedders that earlier versions came with. Views in their vector spaces are still searched, by words alone: every
 * text has the zero vector, which is near no other. Nothing is derived or embedded in them any more.
 */
import type { Embedder, VectorSpace } from '@loomlog/models/embedder'

/** Vector spaces, by the embedder's name in settings. */
const retired: ReadonlyMap<string, VectorSpace> = new Map([['use-lite', { name: 'use-lite-512', dimensions: 512 }]])

export function isRetiredSetting(given: string): boolean {
  return retired.has(given)
}

/** @param name of a vector space */
export function isRetired(name: string): boolean {
  return vectorSpaceOf(name) !== undefined
}

/** Null: no earlier version came with an embedder of this vector space. */
export function retiredEmbedder(name: string): Embedder | null {
  const vectorSpace = vectorSpaceOf(name)
  if (vectorSpace === undefined) return null
  const embed = async (texts: readonly string[]) => texts.map(() => new Float32Array(vectorSpace.dimensions))
  return { vectorSpace, embed, close: async () => {} }
}

function vectorSpaceOf(name: string): VectorSpace | undefined {
  return [...retired.values()].find((each) => each.name === name)
}
