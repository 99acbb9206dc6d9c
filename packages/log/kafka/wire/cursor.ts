/** The numbers and texts of Kafka's protocol, read one after the other. @throws RangeError where the bytes end too soon */

export interface Cursor {
  readonly bytes: Buffer
  at: number
}

export function int16(cursor: Cursor): number {
  cursor.at += 2
  return cursor.bytes.readInt16BE(cursor.at - 2)
}

export function int32(cursor: Cursor): number {
  cursor.at += 4
  return cursor.bytes.readInt32BE(cursor.at - 4)
}

/** Not exact beyond 2^53, which no offset or time reaches. */
export function int64(cursor: Cursor): number {
  return Number(bigint64(cursor))
}

export function bigint64(cursor: Cursor): bigint {
  cursor.at += 8
  return cursor.bytes.readBigInt64BE(cursor.at - 8)
}

/** Zigzag. */
export function varint(cursor: Cursor): number {
  const value = unsignedVarint(cursor)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

/** In steps of seven bits; not by shifts, which would cut at 32 bits. */
export function unsignedVarint(cursor: Cursor): number {
  let value = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = cursor.bytes.readUInt8(cursor.at)
    cursor.at += 1
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return value
  }
}

export function text(cursor: Cursor): string {
  const from = cursor.at + 2
  cursor.at = from + cursor.bytes.readInt16BE(cursor.at)
  return cursor.bytes.toString('utf8', from, cursor.at)
}

/** A list that is null has -1 items. */
export function list<T>(cursor: Cursor, item: () => T): readonly T[] {
  return Array.from({ length: Math.max(0, int32(cursor)) }, item)
}
