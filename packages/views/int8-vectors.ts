/**
 * Vectors as 8-bit integers: a quarter of the bytes, and cosines that differ by some thousandths. The quantization step
 * is not stored, because a cosine doesn't depend on it.
 */
export interface QuantizedVector {
  readonly values: Int8Array
  /** 1 / the length of `values`; 0 for a zero vector, which is near nothing. */
  readonly scale: number
}

/** Vectors in memory are padded with zeros: a dot product reads 16 dimensions at once. */
export function paddedLength(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16
}

export function quantized(vector: Float32Array): QuantizedVector {
  const { length } = vector
  let most = 0
  for (let at = 0; at < length; at += 1) most = Math.max(most, Math.abs(vector[at] as number))
  const values = new Int8Array(length)
  if (most === 0) return { values, scale: 0 }
  let squares = 0
  for (let at = 0; at < length; at += 1) {
    const whole = Math.round(((vector[at] as number) * 127) / most)
    values[at] = whole
    squares += whole * whole
  }
  return { values, scale: 1 / Math.sqrt(squares) }
}
