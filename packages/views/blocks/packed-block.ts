/**
 * A block of rows as bytes, for a store to keep. Reading it back tokenizes no text and quantizes no vector; a row is
 * decoded at its first read.
 *
 * Layout: "LMB2", CRC-32 of the rest, length of the header, the header as JSON, the vectors, the search section
 * (numbers and words), the columns. The last two are compressed with Zstandard, each as a whole: a call costs more than
 * compressing a small part. Numbers are little-endian.
 */
import { endianness } from 'node:os'
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { LoomlogError } from '@loomlog/errors'
import type { Row } from '../row.ts'
import { PackedColumn, packedColumn } from './packed-column.ts'
import { Postings } from './postings.ts'
import type { RowBlock } from './row-block.ts'

const magic = 'LMB2'
const prefixBytes = 12
/** Rows of a pack are numbered with 16 bits. */
export const maxPackedRows = 8_192
/** The fastest level: the next one saves a tenth of the bytes for twice the time. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

interface Header {
  readonly rows: number
  readonly bytes: number
  /** Bytes of the vectors, and of the compressed search section. The columns follow. */
  readonly lengths: readonly [vectors: number, search: number]
  readonly words: number
  /** Pairs of a word and a row. */
  readonly occurrences: number
  /** In their order: each with the one value of all rows, or the length of its bytes. */
  readonly columns: readonly (readonly [
    name: string,
    column: { readonly value: unknown } | { readonly length: number },
  ])[]
}

/** @param fields every column of the rows */
export function packBlock(block: RowBlock, fields: readonly string[]): Uint8Array {
  if (block.length > maxPackedRows) throw new Error(`a pack holds ${maxPackedRows} rows, not ${block.length}`)
  const { vectors, scales, wordCounts, postings } = block
  // Wider numbers first, so that each array is aligned.
  const numbers = [scales, wordCounts, postings.starts, Uint16Array.from(postings.rows), postings.counts]
  const search = compressed(Buffer.concat([...numbers.map(bytesOf), json(postings.words)]))
  const columns = fields.map((field) => [field, packedColumn(block.column(field))] as const)
  const header: Header = {
    rows: block.length,
    bytes: block.bytes,
    lengths: [vectors.byteLength, search.length],
    words: postings.words.length,
    occurrences: postings.rows.length,
    columns: columns.map(([name, column]) => [name, 'bytes' in column ? { length: column.bytes.length } : column]),
  }
  const stored = columns.flatMap(([, column]) => ('bytes' in column ? [column.bytes] : []))
  const head = json(header)
  const content = Buffer.concat([
    uint32(head.length),
    head,
    bytesOf(vectors),
    search,
    compressed(Buffer.concat(stored)),
  ])
  return Buffer.concat([Buffer.from(magic), uint32(crc32(content)), content])
}

/** @throws LoomlogError `view-corrupt` where the bytes are no pack, or changed */
export function unpackBlock(bytes: Uint8Array, fields: readonly string[]): RowBlock {
  const buffer = checkPack(bytes)
  const headEnd = prefixBytes + buffer.readUInt32LE(8)
  const header = JSON.parse(buffer.toString('utf8', prefixBytes, headEnd)) as Header
  const [vectorsEnd, searchEnd] = [headEnd + header.lengths[0], headEnd + header.lengths[0] + header.lengths[1]]
  // A copy, since a part of the pack would keep all of it in memory. The compressed columns are freed once they are
  // read.
  let known: Columns | Uint8Array = Uint8Array.from(buffer.subarray(searchEnd))
  const columns = () => {
    if (known instanceof Uint8Array) known = columnsIn(header, fields, known)
    return known
  }
  const rows: Row[] = []
  return {
    length: header.rows,
    row(at) {
      rows[at] ??= rowAt(columns(), at)
      return rows[at]
    },
    column(field) {
      const { shared, stored } = columns()
      return stored.get(field)?.values() ?? Array(header.rows).fill(shared[field])
    },
    vectors: new Int8Array(aligned(buffer.subarray(headEnd, vectorsEnd))),
    ...searchIn(header, buffer.subarray(vectorsEnd, searchEnd)),
    bytes: header.bytes,
  }
}

function searchIn({ rows, words, occurrences }: Header, section: Uint8Array) {
  const bytes = aligned(zstdDecompressSync(section))
  const countsAt = 4 * (2 * rows + words + 1) + 2 * occurrences
  return {
    scales: new Float32Array(bytes, 0, rows),
    wordCounts: new Uint32Array(bytes, 4 * rows, rows),
    postings: new Postings({
      words: JSON.parse(Buffer.from(bytes, countsAt + 2 * occurrences).toString()) as readonly string[],
      starts: new Uint32Array(bytes, 8 * rows, words + 1),
      rows: new Uint16Array(bytes, countsAt - 2 * occurrences, occurrences),
      counts: new Uint16Array(bytes, countsAt, occurrences),
    }),
  }
}

interface Columns {
  /** Every field, with its value if all rows have the same one. */
  readonly shared: { readonly [field: string]: unknown }
  /** The columns of the other fields. */
  readonly stored: ReadonlyMap<string, PackedColumn>
}

function columnsIn({ rows, columns }: Header, fields: readonly string[], section: Uint8Array): Columns {
  const bytes = zstdDecompressSync(section)
  const shared: { [field: string]: unknown } = Object.fromEntries(fields.map((field) => [field, null]))
  const stored = new Map<string, PackedColumn>()
  let from = 0
  for (const [name, column] of columns) {
    if ('value' in column) shared[name] = column.value
    else {
      // Each column frees its own bytes.
      stored.set(name, new PackedColumn(Buffer.from(bytes.subarray(from, from + column.length)), rows))
      from += column.length
    }
  }
  return { shared, stored }
}

/**
 * A copy of the shared values keeps the order of the fields, and takes a fraction of the time of adding them one by
 * one.
 */
function rowAt({ shared, stored }: Columns, at: number): Row {
  const row = { ...shared }
  for (const [field, column] of stored) row[field] = column.at(at)
  return row as unknown as Row
}

/** @throws LoomlogError `view-corrupt` where the bytes are no pack, or changed */
export function checkPack(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (
    buffer.length < prefixBytes ||
    buffer.toString('latin1', 0, 4) !== magic ||
    buffer.readUInt32LE(4) !== crc32(buffer.subarray(8))
  ) {
    throw new LoomlogError('view-corrupt', 'a pack of rows does not match its checksum')
  }
  return buffer
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function compressed(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, compression)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

if (endianness() !== 'LE') throw new Error('packs of rows are little-endian, and so must the machine be')

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** A copy that typed arrays of any width can view. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
