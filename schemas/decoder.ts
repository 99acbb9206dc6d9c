/**
 * Reads records of current schemas in one pass: a reader compiled from the schema checks the length before it takes
 * each value, and makes plain objects. So it finds damaged lengths as early as framing.ts, at a cost of no more than
 * the record's size. avsc reads the same values; a test compares the two.
 */
import avro from 'avsc'

const { types } = avro

/** @throws Error if the bytes are not one whole record */
export type RecordReader = (bytes: Buffer) => Record<string, unknown>

interface Cursor {
  readonly bytes: Buffer
  at: number
}

type Read = (cursor: Cursor) => unknown

/**
 * The decoded objects have their `type`, as events do, and sorted keys, which canonical JSON needs. Null if this reader
 * doesn't support a type of the schema.
 */
export function compileReader(name: string, type: avro.Type): RecordReader | null {
  const fields = type instanceof types.RecordType ? fieldsOf(type) : null
  if (fields === null) return null
  const blank = { ...blankOf([...fields.map(([field]) => field), 'type']), type: name }
  return (bytes) => {
    const cursor = { bytes, at: 0 }
    const record = readFields(fields, cursor, { ...blank })
    if (cursor.at !== bytes.length) throw new Error(`${bytes.length - cursor.at} bytes are left over`)
    return record
  }
}

type Fields = readonly (readonly [name: string, read: Read])[]

function fieldsOf(type: avro.types.RecordType): Fields | null {
  const fields = type.fields.map((field) => [field.name, compile(field.type)] as const)
  return fields.every((field): field is readonly [string, Read] => field[1] !== null) ? fields : null
}

function readFields(fields: Fields, cursor: Cursor, record: Record<string, unknown>): Record<string, unknown> {
  for (const [name, read] of fields) record[name] = read(cursor)
  return record
}

/** An object with these keys in sorted order. Fields are read into a copy of it in the schema's order. */
function blankOf(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.toSorted().map((name) => [name, null]))
}

function compile(type: avro.Type): Read | null {
  if (type instanceof types.RecordType) {
    const fields = fieldsOf(type)
    if (fields === null) return null
    const blank = blankOf(fields.map(([name]) => name))
    return (cursor) => readFields(fields, cursor, { ...blank })
  }
  if (type instanceof types.ArrayType) return arrayOf(compile(type.itemsType))
  if (type instanceof types.MapType) return mapOf(compile(type.valuesType))
  if (type instanceof types.UnwrappedUnionType) return oneOf(type.types.map(compile))
  if (type instanceof types.EnumType) return symbolOf(type.symbols)
  return leaves.find(([kind]) => type instanceof kind)?.[1] ?? null
}

const leaves: readonly (readonly [kind: new (...args: never[]) => avro.Type, read: Read])[] = [
  [types.StringType as never, readString],
  [types.LongType as never, readLong],
  [types.IntType as never, readLong],
  [types.NullType as never, () => null],
  [types.BytesType as never, readBytes],
  [types.BooleanType as never, (cursor) => cursor.bytes.readUInt8(take(cursor, 1)) !== 0],
  [types.FloatType as never, (cursor) => cursor.bytes.readFloatLE(take(cursor, 4))],
  [types.DoubleType as never, (cursor) => cursor.bytes.readDoubleLE(take(cursor, 8))],
]

function arrayOf(read: Read | null): Read | null {
  if (read === null) return null
  return (cursor) => {
    const items: unknown[] = []
    readBlocks(cursor, () => items.push(read(cursor)))
    return items
  }
}

function mapOf(read: Read | null): Read | null {
  if (read === null) return null
  return (cursor) => {
    const entries: (readonly [string, unknown])[] = []
    readBlocks(cursor, () => entries.push([readString(cursor), read(cursor)]))
    return Object.fromEntries(entries)
  }
}

function oneOf(branches: readonly (Read | null)[]): Read | null {
  if (branches.includes(null)) return null
  return (cursor) => {
    const branch = readLong(cursor)
    const read = branches[branch]
    if (!read) throw new Error(`a union has no branch ${branch}`)
    return read(cursor)
  }
}

function symbolOf(symbols: readonly string[]): Read {
  return (cursor) => {
    const index = readLong(cursor)
    const symbol = symbols[index]
    if (symbol === undefined) throw new Error(`an enum has no symbol ${index}`)
    return symbol
  }
}

/**
 * Avro writes arrays and maps in blocks, and a zero ends them; a negative count is followed by the block's size. Every
 * item of ours takes a byte at least, so a wrong count is found at the end of the bytes.
 */
function readBlocks(cursor: Cursor, readItem: () => void): void {
  for (let count = readLong(cursor); count !== 0; count = readLong(cursor)) {
    if (count < 0) readLong(cursor)
    for (let item = 0; item < Math.abs(count); item += 1) readItem()
  }
}

function readString(cursor: Cursor): string {
  const start = take(cursor, readLong(cursor))
  return cursor.bytes.toString('utf8', start, cursor.at)
}

/** A copy, because a view would keep the whole batch in memory. */
function readBytes(cursor: Cursor): Uint8Array {
  const start = take(cursor, readLong(cursor))
  return new Uint8Array(cursor.bytes.subarray(start, cursor.at))
}

/** Skips `length` bytes, and returns their beginning. */
function take(cursor: Cursor, length: number): number {
  const { at } = cursor
  if (length < 0 || length > cursor.bytes.length - at) throw new Error(`${length} bytes are more than is left`)
  cursor.at = at + length
  return at
}

/** A zigzag varint of at most ten bytes. */
function readLong(cursor: Cursor): number {
  let value = 0
  let factor = 1
  for (let count = 0; count < 10; count += 1) {
    const byte = cursor.bytes[cursor.at]
    if (byte === undefined) throw new Error('it ends in the middle of a number')
    cursor.at += 1
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return signed(value)
    factor *= 128
  }
  throw new Error('a number is longer than ten bytes')
}

function signed(value: number): number {
  const number = value % 2 === 0 ? value / 2 : -(value + 1) / 2
  if (Number.isSafeInteger(number)) return number
  throw new Error('a number is too large to be exact')
}
