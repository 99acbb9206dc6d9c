/**
 * The recorded form of vectors: scaled so that the largest component is 127 or -127, and rounded to whole numbers.
 * Decisions compute cosines from these whole numbers, so a cosine is the same on every machine.
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

function lengthOf(vector: ArrayLike<number>): number {
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2
  return Math.sqrt(squares)
}
