/**
 * The one row shape of every view table, its Arrow schema, and the way between the two. Numbers are Float64 throughout: they
 * come back as the very JS numbers that went in, and compare in filters without casts.
 *
 * A row is identified by its space and its id together, because ids that people give are unique in their space only. The
 * column `key` holds both and is what merges match on, so no tenant can ever write or hide another's row.
 */
import {
  Bool,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  makeData,
  type RecordBatch,
  Schema,
  Table,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow'

export interface Row {
  readonly id: string
  /** `tenant/space` */
  readonly space: string
  readonly conversation: string
  readonly speaker: string
  /** What full-text search looks at. */
  readonly text: string
  /** JSON: what recall shows, different from kind to kind. */
  readonly payload: string
  readonly seq: number
  readonly ordinal: number
  /** When it was said or happened: event time in ms. */
  readonly at: number | null
  /** Event time in ms; `validTo: null` is still true. */
  readonly validFrom: number | null
  readonly validTo: number | null
  /** Log time in ms; `knownTo: null` is still known. */
  readonly knownFrom: number
  readonly knownTo: number | null
  /** Offset, in the source partition, of the record that wrote the row last. */
  readonly offset: number
  readonly deleted: boolean
  readonly vector: Float32Array | null
}

/** A row as searches return it: without its vector. */
export type FoundRow = Omit<Row, 'vector'>

const textColumns = {
  id: 'id',
  space: 'space',
  conversation: 'conversation',
  speaker: 'speaker',
  text: 'text',
} as const
const numberColumns = { seq: 'seq', ordinal: 'ordinal', knownFrom: 'known_from', offset: 'offset' } as const
const timeColumns = { at: 'at', validFrom: 'valid_from', validTo: 'valid_to', knownTo: 'known_to' } as const

/** Every column of a found row, by field. */
export const columns = {
  ...textColumns,
  payload: 'payload',
  ...numberColumns,
  ...timeColumns,
  deleted: 'deleted',
} as const

/** `space` is `tenant/space`, neither part with a slash, so the first two slashes of a key end the parts. */
export function rowKey(space: string, id: string): string {
  if (space.split('/').length !== 2) throw new Error(`a space is named tenant/space, not ${JSON.stringify(space)}`)
  // Well-formed, as Arrow stores it: half a surrogate pair must not be one key here and another in the table.
  return `${space}/${id}`.toWellFormed()
}

function arrowSchema(dimensions: number): Schema {
  const text = [...Object.values(textColumns), 'payload'].map((name) => new Field(name, new Utf8()))
  const numbers = Object.values(numberColumns).map((name) => new Field(name, new Float64()))
  const times = Object.values(timeColumns).map((name) => new Field(name, new Float64(), true))
  const vector = new Field('vector', vectorType(dimensions), true)
  return new Schema([
    new Field('key', new Utf8()),
    ...text,
    ...numbers,
    ...times,
    new Field('deleted', new Bool()),
    vector,
  ])
}

/** Columns are filled directly: Arrow's own builders, value by value, take longer than the merge itself. */
export function encodeRows(rows: readonly (readonly [key: string, row: Row])[], dimensions: number): Table {
  const schema = arrowSchema(dimensions)
  const values = rows.map(([, row]) => row)
  const children: Record<string, Vector> = { key: encodeTexts(rows.map(([key]) => key)) }
  for (const [field, name] of Object.entries({ ...textColumns, payload: 'payload' } as const)) {
    children[name] = encodeTexts(values.map((row) => row[field as keyof typeof textColumns | 'payload']))
  }
  for (const [field, name] of Object.entries({ ...numberColumns, ...timeColumns })) {
    children[name] = encodeNumbers(values.map((row) => row[field as NumberField]))
  }
  children.deleted = vectorFromArray(
    values.map((row) => row.deleted),
    new Bool(),
  )
  children.vector = encodeVectors(
    values.map((row) => row.vector),
    dimensions,
  )
  return new Table(schema, children as never)
}

type NumberField = keyof typeof numberColumns | keyof typeof timeColumns

function encodeTexts(texts: readonly string[]): Vector {
  const offsets = new Int32Array(texts.length + 1)
  for (const [index, text] of texts.entries()) offsets[index + 1] = (offsets[index] ?? 0) + Buffer.byteLength(text)
  const data = Buffer.allocUnsafe(offsets.at(-1) ?? 0)
  for (const [index, text] of texts.entries()) data.write(text, offsets[index] ?? 0)
  return new Vector([makeData({ type: new Utf8(), length: texts.length, valueOffsets: offsets, data })])
}

function encodeNumbers(numbers: readonly (number | null)[]): Vector {
  const { nullBitmap, nullCount } = nullsIn(numbers)
  const data = Float64Array.from(numbers, (number) => number ?? 0)
  return new Vector([makeData({ type: new Float64(), length: numbers.length, nullCount, nullBitmap, data })])
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
  return new FixedSizeList(dimensions, new Field('item', new Float32(), true))
}

function encodeVectors(vectors: readonly (Float32Array | null)[], dimensions: number): Vector {
  const values = new Float32Array(vectors.length * dimensions)
  for (const [index, vector] of vectors.entries()) {
    if (vector === null) continue
    if (vector.length !== dimensions) throw new Error(`a vector has ${vector.length} dimensions, not ${dimensions}`)
    values.set(vector, index * dimensions)
  }
  const child = makeData({ type: new Float32(), length: values.length, data: values })
  const nulls = nullsIn(vectors)
  return new Vector([makeData({ type: vectorType(dimensions), length: vectors.length, ...nulls, child })])
}

export function decodeRows(batch: RecordBatch): FoundRow[] {
  const read = Object.entries(columns).map(([field, name]) => [field, batch.getChild(name)] as const)
  return Array.from({ length: batch.numRows }, (_, index) => {
    const row = Object.fromEntries(read.map(([field, column]) => [field, column?.get(index)]))
    return row as unknown as FoundRow
  })
}

export function decodeVectors(batch: RecordBatch): (Float32Array | null)[] {
  const column = batch.getChild('vector')
  return Array.from({ length: batch.numRows }, (_, index) => {
    const value = column?.get(index) as Vector<Float32> | null | undefined
    // A copy: what Arrow hands out is a window on the whole batch.
    return value ? Float32Array.from(value.toArray()) : null
  })
}
