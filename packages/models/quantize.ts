/**
 * Vectors as they are recorded: scaled so that the largest component is 127 or -127, rounded to whole numbers. A cosine of two recorded vectors is computed
 * from whole numbers only, so it is the same on every machine.
 */

/** The zero vector stays zero. */
export function toInt8(vector: ArrayLike<number>): Int8Array {
  let largest = 0
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0))
  return Int8Array.from(vector, (component) => (largest === 0 ? 0 : Math.round((component / largest) * 127)))
}

/** Of length 1 again, or zero. */
export function fromInt8(vector: ArrayLike<number>): Float32Array {
  const length = lengthOf(vector)
  return Float32Array.from(vector, (component) => (length === 0 ? 0 : component / length))
}

/** From -1 to 1; 0 where either is the zero vector. */
export function cosineInt8(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new Error(`a cosine of ${a.length} and ${b.length} dimensions`)
  let dot = 0
  let squaresA = 0
  let squaresB = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0
    const y = b[i] ?? 0
    dot += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return dot === 0 ? 0 : dot / Math.sqrt(squaresA * squaresB)
}

function lengthOf(vector: ArrayLike<number>): number {
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2
  return Math.sqrt(squares)
}
