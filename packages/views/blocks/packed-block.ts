/**
 * A block of rows as bytes, for a store to keep: what a search needs is read back without tokenizing a text or quantizing a vector, and a column is
 * decoded when it is first asked for. Layout: "LMB1", CRC-32 of what follows, length of the header, the header as JSON, then the sections that it
 * names one after the other. Each section but the vectors is compressed with Zstandard. Numbers are little-endian.
 */
import { endianness } from 'node:os'
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { LoomlogError } from '@loomlog/errors'
import type { Row } from '../row.ts'
import { Postings } from './postings.ts'
import type { RowBlock } from './row-block.ts'

const magic = 'LMB1'
const prefixBytes = 12
/** Rows of a pack are numbered with 16 bits. */
export const maxPackedRows = 8_192
/** The fastest level: the next one saves a tenth of the bytes for twice the time. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

interface Header {
  readonly rows: number
  readonly bytes: number
  /** By name, in their order: how long each section is. */
  readonly sections: readonly (readonly [name: string, length: number])[]
}

/** @param fields every column of the rows */
export function packed(block: RowBlock, fields: readonly string[]): Uint8Array {
  if (block.length > maxPackedRows) throw new Error(`a pack holds ${maxPackedRows} rows, not ${block.length}`)
  const { vectors, scales, wordCounts, postings } = block
  const sections: (readonly [string, Uint8Array])[] = [
    ['vectors', bytesOf(vectors)],
    ['scales', compressed(bytesOf(scales))],
    ['wordCounts', compressed(bytesOf(wordCounts))],
    ['words', compressed(json(postings.words))],
    ['starts', compressed(bytesOf(postings.starts))],
    ['rows', compressed(bytesOf(Uint16Array.from(postings.rows)))],
    ['counts', compressed(bytesOf(postings.counts))],
    ...fields.map((field) => [`column ${field}`, compressed(json(block.column(field)))] as const),
  ]
  const lengths = sections.map(([name, bytes]) => [name, bytes.length] as const)
  const header = json({ rows: block.length, bytes: block.bytes, sections: lengths } satisfies Header)
  const content = Buffer.concat([uint32(header.length), header, ...sections.map(([, bytes]) => bytes)])
  return Buffer.concat([Buffer.from(magic), uint32(crc32(content)), content])
}

/** @throws LoomlogError `view-corrupt` where the bytes are no pack, or changed */
export function unpacked(bytes: Uint8Array, fields: readonly string[]): RowBlock {
  const buffer = checkPack(bytes)
  const headerBytes = buffer.readUInt32LE(8)
  const header = JSON.parse(buffer.toString('utf8', prefixBytes, prefixBytes + headerBytes)) as Header
  const sections = new Map<string, Buffer>()
  let from = prefixBytes + headerBytes
  for (const [name, length] of header.sections) {
    sections.set(name, buffer.subarray(from, from + length))
    from += length
  }
  const section = (name: string) => sections.get(name) ?? Buffer.alloc(0)
  const plain = (name: string) => aligned(zstdDecompressSync(section(name)))
  const columns = new Map<string, readonly unknown[]>()
  const column = (field: string) => {
    const known = columns.get(field)
    if (known !== undefined) return known
    const values = JSON.parse(zstdDecompressSync(section(`column ${field}`)).toString()) as readonly unknown[]
    columns.set(field, values)
    return values
  }
  const rows: Row[] = []
  return {
    length: header.rows,
    row(at) {
      rows[at] ??= Object.fromEntries(fields.map((field) => [field, column(field)[at]])) as Row
      return rows[at]
    },
    column,
    vectors: new Int8Array(aligned(section('vectors'))),
    scales: new Float32Array(plain('scales')),
    wordCounts: new Uint32Array(plain('wordCounts')),
    postings: new Postings({
      words: JSON.parse(zstdDecompressSync(section('words')).toString()) as readonly string[],
      starts: new Uint32Array(plain('starts')),
      rows: new Uint16Array(plain('rows')),
      counts: new Uint16Array(plain('counts')),
    }),
    bytes: header.bytes,
  }
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
  return Uint8Array.from(bytes).buffer
}
