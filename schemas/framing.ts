/**
 * Checks that bytes are one whole record of a schema before avsc reads them. avsc trusts every count: thirty garbage
 * bytes that claim sixteen million attachments cost it 11 seconds and a gigabyte. A checked record costs it no more
 * than its own size.
 */
import avro from 'avsc'

const { types } = avro

class FramingError extends Error {}

interface Cursor {
  readonly bytes: Buffer
  at: number
}

/** The fault, in words; null if the bytes are one whole record. */
export function framingFault(type: avro.Type, bytes: Buffer): string | null {
  const cursor = { bytes, at: 0 }
  try {
    skip(type, cursor)
  } catch (error) {
    if (error instanceof FramingError) return error.message
    throw error
  }
  return cursor.at === bytes.length ? null : `${bytes.length - cursor.at} bytes are left over`
}

function skip(type: avro.Type, cursor: Cursor): void {
  if (type instanceof types.RecordType) {
    for (const field of type.fields) skip(field.type, cursor)
  } else if (type instanceof types.ArrayType) {
    skipBlocks(cursor, () => skip(type.itemsType, cursor))
  } else if (type instanceof types.MapType) {
    skipBlocks(cursor, () => {
      skipBytes(cursor, readLong(cursor))
      skip(type.valuesType, cursor)
    })
  } else if (type instanceof types.UnwrappedUnionType || type instanceof types.WrappedUnionType) {
    const branch = readLong(cursor)
    const chosen = type.types[branch]
    if (!chosen) throw new FramingError(`a union has no branch ${branch}`)
    skip(chosen, cursor)
  } else skipLeaf(type, cursor)
}

function skipLeaf(type: avro.Type, cursor: Cursor): void {
  if (type instanceof types.StringType || type instanceof types.BytesType) skipBytes(cursor, readLong(cursor))
  else if (type instanceof types.LongType || type instanceof types.IntType || type instanceof types.EnumType)
    readLong(cursor)
  else if (type instanceof types.BooleanType) skipBytes(cursor, 1)
  else if (type instanceof types.FloatType) skipBytes(cursor, 4)
  else if (type instanceof types.DoubleType) skipBytes(cursor, 8)
  else if (!(type instanceof types.NullType)) throw new Error(`no record of ours holds a ${type.typeName}`)
}

/**
 * Avro writes arrays and maps in blocks, and a zero ends them; a negative count is followed by the block's size. Every
 * item of ours takes a byte at least, so a wrong count is found at the end of the bytes.
 */
function skipBlocks(cursor: Cursor, skipItem: () => void): void {
  for (let count = readLong(cursor); count !== 0; count = readLong(cursor)) {
    if (count < 0) readLong(cursor)
    for (let item = 0; item < Math.abs(count); item += 1) skipItem()
  }
}

function skipBytes(cursor: Cursor, length: number): void {
  if (length < 0 || length > cursor.bytes.length - cursor.at)
    throw new FramingError(`${length} bytes are more than is left`)
  cursor.at += length
}

/** A zigzag varint of at most ten bytes. It is inexact beyond 2^53, but no length is that large. */
function readLong(cursor: Cursor): number {
  let value = 0
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = cursor.bytes[cursor.at]
    if (byte === undefined) throw new FramingError('it ends in the middle of a number')
    cursor.at += 1
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
  throw new FramingError('a number is longer than ten bytes')
}
