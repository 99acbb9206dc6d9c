/**
 * Record batches of format 2 as a broker returns them, decoded in one pass. Records are views of the bytes, and share
 * one object with their batch's fields. Compressed batches are unpacked. Each batch's checksum is verified. A batch
 * that can't be read becomes one record without key and value, whose `fault` is the reason, so that no reader stops or
 * skips it silently.
 *
 *   batch   => baseOffset:8 length:4 leaderEpoch:4 magic:1 crc:4 | attributes:2 lastOffsetDelta:4 firstTimestamp:8
 *   maxTimestamp:8
 *              producerId:8 producerEpoch:2 firstSequence:4 count:4 record*      (the checksum covers all that follows
 *              it)
 */
import { crc32c } from '@node-rs/crc32'
import { decompress } from './compression.ts'

export interface BatchContext {
  readonly lastOffset: number
  readonly producerId: string
  readonly inTransaction: boolean
}

export interface BatchedRecord {
  readonly offset: number
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  /** The value of the header of that name; null: there is none. */
  readonly traceparent: string | null
  readonly isControlRecord: boolean
  readonly batch: BatchContext
  /** Why the batch from this offset on can't be read; null for a record. */
  readonly fault: string | null
}

export interface Batches {
  readonly records: readonly BatchedRecord[]
  /** The offset after the last whole batch, which compaction may have left empty; null: there was no whole batch. */
  readonly next: number | null
}

/** The header of W3C Trace Context. */
export const traceHeader = 'traceparent'
const traceparentBytes = 55

const magic = 2
const headBytes = 61
/** Positions within a batch. */
const at = {
  length: 8,
  afterLength: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  count: 57,
} as const
const attribute = { codec: 7, appendTime: 8, transactional: 16, control: 32 } as const

/** The next byte to read. */
interface Cursor {
  readonly bytes: Buffer
  at: number
}

/** The size limit of a fetch may cut the last batch off. */
export function readBatches(bytes: Buffer): Batches {
  const records: BatchedRecord[] = []
  let next: number | null = null
  for (let from = 0; from + headBytes <= bytes.length; ) {
    const to = from + at.afterLength + bytes.readInt32BE(from + at.length)
    if (to > bytes.length) break
    const batch = contextOf(bytes, from)
    try {
      readBatch(bytes, { from, to }, batch, records)
    } catch (error) {
      records.push(unreadable(bytes, from, batch, (error as Error).message))
    }
    next = batch.lastOffset + 1
    from = Math.max(to, from + headBytes)
  }
  return { records, next }
}

function contextOf(bytes: Buffer, from: number): BatchContext {
  return {
    lastOffset: Number(bytes.readBigInt64BE(from)) + bytes.readInt32BE(from + at.lastOffsetDelta),
    producerId: bytes.readBigInt64BE(from + at.producerId).toString(),
    inTransaction: (bytes.readInt16BE(from + at.attributes) & attribute.transactional) !== 0,
  }
}

/** Adds all of the batch's records, or none and throws. */
function readBatch(
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
  batch: BatchContext,
  into: BatchedRecord[],
): void {
  const format = bytes[from + at.magic]
  if (format !== magic) throw new Error(`its format is ${format}, not ${magic}`)
  if (crc32c(bytes.subarray(from + at.attributes, to)) !== bytes.readUInt32BE(from + at.crc))
    throw new Error('its bytes are not those that were written: the checksum differs')
  const attributes = bytes.readInt16BE(from + at.attributes)
  const firstOffset = Number(bytes.readBigInt64BE(from))
  const firstTimestamp = Number(bytes.readBigInt64BE(from + at.firstTimestamp))
  const appendedAt = attributes & attribute.appendTime ? Number(bytes.readBigInt64BE(from + at.maxTimestamp)) : null
  const isControlRecord = (attributes & attribute.control) !== 0
  const cursor = recordsOf(bytes, from, to, attributes & attribute.codec)
  const before = into.length
  try {
    for (let left = bytes.readInt32BE(from + at.count); left > 0; left--) {
      const end = varint(cursor) + cursor.at
      cursor.at += 1
      const writtenAt = firstTimestamp + varint(cursor)
      const offset = firstOffset + varint(cursor)
      const key = field(cursor)
      const value = field(cursor)
      const traceparent = traceparentIn(cursor, end)
      const timestamp = appendedAt ?? writtenAt
      into.push({ offset, timestamp, key, value, traceparent, isControlRecord, batch, fault: null })
      cursor.at = end
    }
  } catch (error) {
    into.length = before
    throw error
  }
}

function recordsOf(bytes: Buffer, from: number, to: number, codec: number): Cursor {
  if (codec === 0) return { bytes, at: from + headBytes }
  return { bytes: decompress(codec, bytes.subarray(from + headBytes, to)), at: 0 }
}

function unreadable(bytes: Buffer, from: number, batch: BatchContext, fault: string): BatchedRecord {
  const offset = Number(bytes.readBigInt64BE(from))
  const timestamp = Number(bytes.readBigInt64BE(from + at.maxTimestamp))
  return { offset, timestamp, key: null, value: null, traceparent: null, isControlRecord: false, batch, fault }
}

/** The other headers are for other clients. */
function traceparentIn(cursor: Cursor, end: number): string | null {
  let found: string | null = null
  for (let left = varint(cursor); left > 0 && cursor.at < end; left--) {
    const name = field(cursor)
    const value = field(cursor)
    // A header of another length, by another client, names no trace.
    if (value?.length === traceparentBytes && name?.toString() === traceHeader) found = value?.toString() ?? null
  }
  return found
}

/** Returns a view, which keeps the whole response in memory. */
function field(cursor: Cursor): Buffer | null {
  const length = varint(cursor)
  if (length < 0) return null
  const from = cursor.at
  cursor.at += length
  if (cursor.at > cursor.bytes.length) throw new RangeError('a record ends behind its batch')
  return cursor.bytes.subarray(from, cursor.at)
}

/**
 * Zigzag, in steps of seven bits. Not by shifts, which would cut at 32 bits.
 * @throws RangeError where the bytes end too soon
 */
function varint(cursor: Cursor): number {
  let value = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = cursor.bytes.readUInt8(cursor.at)
    cursor.at += 1
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
