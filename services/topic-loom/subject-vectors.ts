/**
 * The vector of a line without the bias of all lines: their mean, and the direction in which they differ
 * most. Both depend on how people chat, and hide the subject. (Arora et al. 2017 remove the first direction of word
 * averages for the same reason.)
 */

import { unpacked } from './packed-vectors.ts'
import { vectorBias } from './vector-bias.ts'

/** Of unit vectors. `direction` has length 1. */
export type VectorBias = { readonly mean: readonly number[]; readonly direction: readonly number[] }

const installed: VectorBias = {
  mean: unpacked(vectorBias.mean),
  direction: unpacked(vectorBias.direction),
}

/** @param vector of the embedder that `bias` belongs to; a vector of another length stays as it is */
export function subjectVector(vector: readonly number[], bias: VectorBias = installed): readonly number[] {
  const { mean, direction } = bias
  const length = Math.sqrt(product(vector, vector))
  if (length === 0 || mean.length !== vector.length) return vector
  const own = vector.map((value, i) => value / length - (mean[i] ?? 0))
  const along = product(own, direction)
  return own.map((value, i) => value - along * (direction[i] ?? 0))
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
}
