/**
 * Vectors as 8-bit integers: a quarter of the bytes, and cosines that differ by some thousandths. The scale is left out, because a cosine
 * doesn't depend on it.
 */
export interface QuantizedVector {
  readonly values: Int8Array
  /** 1 / the length of `values`; 0 for a zero vector, which is near nothing. */
  readonly scale: number
}

/** Dot products read 16 dimensions at once: vectors in memory are filled up with zeros. */
export function paddedLength(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16
}

export function quantized(vector: Float32Array): QuantizedVector {
  let most = 0
  for (const value of vector) most = Math.max(most, Math.abs(value))
  const values = new Int8Array(vector.length)
  if (most === 0) return { values, scale: 0 }
  let squares = 0
  for (const [at, value] of vector.entries()) {
    const whole = Math.round((value * 127) / most)
    values[at] = whole
    squares += whole * whole
  }
  return { values, scale: 1 / Math.sqrt(squares) }
}
