/** Vectors as text in a source file: one byte a number, and the scale of all. */

type PackedVector = { readonly scale: number; readonly bytes: string }

export function packed(vector: readonly number[]): PackedVector {
  const scale = Math.max(...vector.map(Math.abs)) / 127
  const bytes = Int8Array.from(vector, (value) => Math.round(value / scale))
  return { scale, bytes: Buffer.from(bytes.buffer).toString('base64') }
}

export function unpacked({ scale, bytes }: PackedVector): readonly number[] {
  return [...new Int8Array(Buffer.from(bytes, 'base64'))].map((value) => value * scale)
}
