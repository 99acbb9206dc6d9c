/**
 * The bias of the vectors of lines: the mean of the unit vectors of lines, and the direction in which they differ most.
 */
import type { VectorBias } from '@loomlog/topic-loom/subject-vectors'
import { dot } from '../logistic.ts'

const rounds = 60

/** Power iteration finds the direction: only the first one is needed. */
export function vectorBiasOf(vectors: readonly (readonly number[])[]): VectorBias {
  const lines = vectors.map(unit)
  const mean = sum(lines).map((value) => value / lines.length)
  const own = lines.map((line) => line.map((value, i) => value - (mean[i] ?? 0)))
  let direction = unit(own[0] ?? [])
  for (let round = 0; round < rounds; round++) {
    direction = unit(sum(own.map((line) => scaled(line, dot(line, direction)))))
  }
  return { mean, direction }
}

function unit(vector: readonly number[]): readonly number[] {
  return scaled(vector, 1 / (Math.hypot(...vector) || 1))
}

function scaled(vector: readonly number[], by: number): readonly number[] {
  return vector.map((value) => value * by)
}

function sum(vectors: readonly (readonly number[])[]): readonly number[] {
  const total = new Float64Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) for (const [i, value] of vector.entries()) total[i] = (total[i] ?? 0) + value
  return [...total]
}
