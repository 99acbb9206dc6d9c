/**
 * Rows as Arrow, column by column, and back. All numbers are Float64: they are read back as the same JS numbers, and
 * compare in filters without casts. JSON columns are text, null where the value is null.
 *
 * A row is identified by its space and its id together, because ids that people give are unique in their space only.
 * The column `key` holds both and is what merges match on, so no tenant can ever write or hide another's row.
 */

import { createRequire } from 'node:module'
import { crc32 } from 'node:zlib'
import { LoomlogError } from '@loomlog/errors'
import type {
  Table as ArrowTable,
  DataType,
  Field,
  FixedSizeList,
  Float32,
  RecordBatch,
  Utf8,
  Vector,
} from 'apache-arrow'
import type { ColumnKind } from '../column.ts'
import type { Row, StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { columnName } from './sql.ts'

/** LanceDB requires Arrow too. An import would load its modules a second time, as ESM, in every process. */
const arrow: typeof import('apache-arrow') = createRequire(import.meta.url)('apache-arrow')

interface Encoding {
  readonly type: DataType
  readonly isNullable: boolean
  encode(values: readonly unknown[]): Vector
  decode(column: Vector): readonly unknown[]
}

const checksumColumn = 'checksum'
const vectorChecksumColumn = 'vector_checksum'
const noBytes = new Uint8Array(0)
const listOfTexts = new arrow.List(new arrow.Field('item', new arrow.Utf8(), true))

/** Columns are filled directly: Arrow's own builders, value by value, take longer than the merge itself. */
const encodings: { readonly [kind in ColumnKind]: Encoding } = {
  text: { type: new arrow.Utf8(), isNullable: false, encode: encodeTexts, decode: plainValues },
  'text?': { type: new arrow.Utf8(), isNullable: true, encode: encodeTexts, decode: plainValues },
  number: { type: new arrow.Float64(), isNullable: false, encode: encodeNumbers, decode: plainValues },
  'number?': { type: new arrow.Float64(), isNullable: true, encode: encodeNumbers, decode: plainValues },
  flag: {
    type: new arrow.Bool(),
    isNullable: false,
    encode: (values) => arrow.vectorFromArray(values as boolean[], new arrow.Bool()),
    decode: plainValues,
  },
  texts: { type: listOfTexts, isNullable: false, encode: encodeLists, decode: decodeLists },
  json: {
    type: new arrow.Utf8(),
    isNullable: true,
    encode: (values) => encodeTexts(values.map((value) => (value === null ? null : JSON.stringify(value)))),
    decode: (column) => plainValues(column).map((value) => (value === null ? null : parsed(value as string))),
  },
}

/** The columns of a row without its vector: all but key, pack, vector and the vector's checksum. */
export function rowColumns(table: Table): string[] {
  return [...Object.keys(table.allColumns).map(columnName), checksumColumn]
}

/** The columns of a stored row. A query that names no columns reads packs too, which are megabytes. */
export function storedColumns(table: Table): string[] {
  return [...rowColumns(table), vectorChecksumColumn, 'vector']
}

/** A row with its key, and the bytes of its pack, if it is one. */
export interface KeyedRow {
  readonly key: string
  readonly row: StoredRow
  readonly pack?: Uint8Array | null
}

export function encodeRows(table: Table, rows: readonly KeyedRow[], dimensions: number): ArrowTable {
  const values = rows.map(({ row }) => row)
  const fields: Field[] = [new arrow.Field('key', new arrow.Utf8())]
  const children: Record<string, Vector> = { key: encodeTexts(rows.map(({ key }) => key)) }
  for (const [field, { kind }] of Object.entries(table.allColumns)) {
    const { type, isNullable, encode } = encodings[kind]
    const name = columnName(field)
    fields.push(new arrow.Field(name, type, isNullable))
    children[name] = encode(values.map((row) => row[field as keyof StoredRow]))
  }
  fields.push(new arrow.Field(checksumColumn, new arrow.Float64()))
  const checksums = values.map((row) => checksumOf(table, row))
  children[checksumColumn] = encodeNumbers(checksums)
  fields.push(new arrow.Field(vectorChecksumColumn, new arrow.Float64()))
  children[vectorChecksumColumn] = encodeNumbers(
    rows.map(({ row, pack }, at) => (pack ? crc32(pack, checksums[at]) : vectorChecksum(row.vector, checksums[at]))),
  )
  fields.push(new arrow.Field('pack', new arrow.Binary(), false))
  children.pack = encodeBytes(rows.map(({ pack }) => pack ?? noBytes))
  fields.push(new arrow.Field('vector', vectorType(dimensions), true))
  children.vector = encodeVectors(
    values.map((row) => row.vector),
    dimensions,
  )
  return new arrow.Table(new arrow.Schema(fields), children as never)
}

export function decodeRows<R extends Row>(table: Table, batch: RecordBatch): R[] {
  const columns = Object.entries(table.allColumns).map(([field, { kind }]) => {
    const column = batch.getChild(columnName(field))
    return [field, column ? encodings[kind].decode(column) : []] as const
  })
  return Array.from({ length: batch.numRows }, (_, index) => {
    const row: Record<string, unknown> = {}
    for (const [field, values] of columns) row[field] = values[index]
    return row as R
  })
}

/**
 * Decodes rows and compares their checksums, since LanceDB has none of its own.
 * @throws LoomlogError `view-corrupt` where a row has another checksum
 */
export function decodeCheckedRows<R extends Row>(table: Table, batch: RecordBatch, isExempt = (_: R) => false): R[] {
  const checksums = batch.getChild(checksumColumn)
  const rows = decodeRows<R>(table, batch)
  for (const [index, row] of rows.entries()) {
    if (isExempt(row) || checksums?.get(index) === checksumOf(table, row)) continue
    throw new LoomlogError('view-corrupt', `a row of table ${table.name} does not match its checksum`)
  }
  return rows
}

/** Of every column but the vector, which most reads leave out. */
function checksumOf(table: Table, row: Row): number {
  return crc32(JSON.stringify(Object.keys(table.allColumns).map((field) => row[field as keyof Row] ?? null)))
}

/**
 * Continues the row's checksum, so that the vector of another row doesn't match either. Covers the bytes that are
 * stored: 32-bit floats, little-endian. A row without a vector has the row's checksum, so a lost vector is damage too.
 */
function vectorChecksum(vector: Float32Array | null, ofRow = 0): number {
  if (vector === null) return ofRow
  return crc32(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), ofRow)
}

/** @throws LoomlogError `view-corrupt` where a row or its vector has another checksum */
export function decodeStoredRows(table: Table, batch: RecordBatch, isExempt?: (row: Row) => boolean): StoredRow[] {
  const rows = decodeCheckedRows(table, batch, isExempt)
  const vectors = checkedVectors(table, batch)
  return rows.map((row, index) => ({ ...row, vector: vectors[index] ?? null }))
}

/**
 * Rows that may differ from their checksums, each with its vector.
 * @throws LoomlogError `view-corrupt` where a vector does
 */
export function decodeRowsWithVectors(table: Table, batch: RecordBatch): StoredRow[] {
  const vectors = checkedVectors(table, batch)
  return decodeRows(table, batch).map((row, index) => ({ ...row, vector: vectors[index] ?? null }))
}

/** @throws LoomlogError `view-corrupt` where a vector has another checksum */
export function checkedVectors(table: Table, batch: RecordBatch): readonly (Float32Array | null)[] {
  const column = batch.getChild('vector')
  const [ofRows, ofVectors] = [batch.getChild(checksumColumn), batch.getChild(vectorChecksumColumn)]
  return Array.from({ length: batch.numRows }, (_, index) => {
    const value = column?.get(index) as Vector<Float32> | null | undefined
    // A copy: Arrow's value is a view of the whole batch's buffer.
    const vector = value ? Float32Array.from(value.toArray()) : null
    if (vectorChecksum(vector, ofRows?.get(index)) === ofVectors?.get(index)) return vector
    throw new LoomlogError('view-corrupt', `the vector of a row of table ${table.name} does not match its checksum`)
  })
}

/** The columns of `packAt` and `checkedPackAt`. */
export const packValueColumns = ['pack', checksumColumn, vectorChecksumColumn]

export function packAt(batch: RecordBatch, at: number): Uint8Array {
  return batch.getChild('pack')?.get(at) as Uint8Array
}

/** @throws LoomlogError `view-corrupt` where the bytes have another checksum, which continues that of their row */
export function checkedPackAt(batch: RecordBatch, at: number): Uint8Array {
  const pack = packAt(batch, at)
  const [ofRow, ofPack] = [batch.getChild(checksumColumn)?.get(at), batch.getChild(vectorChecksumColumn)?.get(at)]
  if (crc32(pack, ofRow) === ofPack) return pack
  throw new LoomlogError('view-corrupt', 'encrypted bytes of a view do not match their checksum')
}

/** Text that is no JSON is damage: it is parsed before the checksum of its row can be computed. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new LoomlogError('view-corrupt', `a row has a value that is no JSON: ${(cause as Error).message}`, { cause })
  }
}

function plainValues(column: Vector): readonly unknown[] {
  return Array.from({ length: column.length }, (_, index) => column.get(index))
}

function decodeLists(column: Vector): readonly unknown[] {
  return plainValues(column).map((list) => Array.from(list as Vector<Utf8>))
}

function encodeTexts(texts: readonly unknown[]): Vector {
  const offsets = new Int32Array(texts.length + 1)
  const known = texts.map((text) => (text ?? '') as string)
  for (const [index, text] of known.entries()) offsets[index + 1] = (offsets[index] ?? 0) + Buffer.byteLength(text)
  const data = Buffer.allocUnsafe(offsets.at(-1) ?? 0)
  for (const [index, text] of known.entries()) data.write(text, offsets[index] ?? 0)
  return new arrow.Vector([
    arrow.makeData({ type: new arrow.Utf8(), length: texts.length, ...nullsIn(texts), valueOffsets: offsets, data }),
  ])
}

/**
 * Never null: LanceDB stores a page with one value and otherwise nulls as that value for every row, and decoding it
 * takes gigabytes.
 */
function encodeBytes(values: readonly Uint8Array[]): Vector {
  const valueOffsets = new Int32Array(values.length + 1)
  for (const [index, { length }] of values.entries()) valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + length
  const data = Buffer.concat(values)
  return new arrow.Vector([
    arrow.makeData({ type: new arrow.Binary(), length: values.length, nullCount: 0, valueOffsets, data }),
  ])
}

function encodeNumbers(numbers: readonly unknown[]): Vector {
  const data = Float64Array.from(numbers, (number) => (number ?? 0) as number)
  return new arrow.Vector([
    arrow.makeData({ type: new arrow.Float64(), length: numbers.length, ...nullsIn(numbers), data }),
  ])
}

function encodeLists(lists: readonly unknown[]): Vector {
  const all = lists as readonly (readonly string[])[]
  const valueOffsets = new Int32Array(all.length + 1)
  for (const [index, list] of all.entries()) valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + list.length
  const [child] = encodeTexts(all.flat()).data
  return new arrow.Vector([
    arrow.makeData({ type: listOfTexts, length: all.length, nullCount: 0, valueOffsets, child: child as never }),
  ])
}

function nullsIn(values: readonly unknown[]) {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8))
  let nullCount = 0
  for (const [index, value] of values.entries()) {
    if (value === null) nullCount += 1
    else nullBitmap[index >> 3] = (nullBitmap[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return { nullBitmap, nullCount }
}

function vectorType(dimensions: number): FixedSizeList<Float32> {
  return new arrow.FixedSizeList(dimensions, new arrow.Field('item', new arrow.Float32(), true))
}

function encodeVectors(vectors: readonly (Float32Array | null)[], dimensions: number): Vector {
  const values = new Float32Array(vectors.length * dimensions)
  for (const [index, vector] of vectors.entries()) {
    if (vector === null) continue
    if (vector.length !== dimensions) throw new Error(`a vector has ${vector.length} dimensions, not ${dimensions}`)
    values.set(vector, index * dimensions)
  }
  const child = arrow.makeData({ type: new arrow.Float32(), length: values.length, data: values })
  const nulls = nullsIn(vectors)
  return new arrow.Vector([arrow.makeData({ type: vectorType(dimensions), length: vectors.length, ...nulls, child })])
}
