/** Cosines of a vector with the vectors of a space, from their 8-bit integers. */
import { paddedLength } from '../int8-vectors.ts'
import { dotProductsWith } from './dot-product.ts'
import type { SpaceRows } from './space-rows.ts'

/** The query has 12 bits, so that its rounding error is negligible beside that of the rows. */
const mostOfQuery = 2_047

/** The cosines by the number of the row; NaN for a dead row, and for a row without a vector. */
export function cosines(rows: SpaceRows, vector: Float32Array): Float64Array {
  const query = new Int16Array(paddedLength(vector.length))
  const most = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  let squares = 0
  for (const [at, value] of vector.entries()) {
    const whole = Math.round((value * mostOfQuery) / most)
    query[at] = whole
    squares += whole * whole
  }
  const scale = 1 / Math.sqrt(squares)
  const found = new Float64Array(rows.length).fill(Number.NaN)
  for (const { block, from } of rows.blocks) {
    const sums = dotProductsWith(query, block.vectors)
    for (let at = 0; at < sums.length; at += 1) {
      const of = block.scales[at] ?? 0
      if (of !== 0 && rows.isLive(from + at)) found[from + at] = (sums[at] ?? 0) * of * scale
    }
  }
  return found
}
