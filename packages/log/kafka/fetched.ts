/**
 * kafkajs's answer to a fetch, read by us: one walk over the bytes, records as views of them, one object for what a batch's records
 * share. kafkajs makes a decoder for every record, and big-integer objects for its numbers. What is compressed, or older than the
 * batches of format 2, is left to kafkajs.
 *
 *   response  => throttle:4 error:2 session:4 [topic [partition:4 error:2 highWatermark:8 lastStable:8 logStart:8
 *                [aborted: producerId:8 firstOffset:8] preferredReplica:4 size:4 batch*]]       (version 11)
 */
import type { FetchedMessage, FetchedPartition } from './cluster.ts'

const magic = 2
/** Of a batch, before its records; and where the part begins that its length counts. */
const headBytes = 61
const lengthEnd = 12
/** Of a batch's attributes. */
const compressed = 7
const appendTime = 8
const transactional = 16
const control = 32

interface Cursor {
  readonly bytes: Buffer
  at: number
}

interface Answer {
  readonly throttleTime: 0
  readonly clientSideThrottleTime: number
  readonly errorCode: number
  readonly sessionId: number
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[]
}

/** Null where kafkajs has to read it. */
export function fetchAnswer(bytes: Buffer): Answer | null {
  const cursor = { bytes, at: 0 }
  try {
    return {
      throttleTime: 0,
      clientSideThrottleTime: int32(cursor),
      errorCode: int16(cursor),
      sessionId: int32(cursor),
      responses: list(cursor, () => ({ topicName: text(cursor), partitions: list(cursor, () => partition(cursor)) })),
    }
  } catch (error) {
    if (error === notForUs) return null
    throw error
  }
}

const notForUs = new Error('left to kafkajs')

function partition(cursor: Cursor): FetchedPartition {
  const head = {
    partition: int32(cursor),
    errorCode: int16(cursor),
    highWatermark: int64(cursor).toString(),
    lastStableOffset: int64(cursor).toString(),
    logStartOffset: int64(cursor).toString(),
    abortedTransactions: list(cursor, () => ({
      producerId: int64(cursor).toString(),
      firstOffset: int64(cursor).toString(),
    })),
    preferredReadReplica: int32(cursor),
  }
  const size = Math.max(0, int32(cursor))
  const end = cursor.at + size
  const batches = batchesIn(cursor.bytes, cursor.at, Math.min(end, cursor.bytes.length))
  cursor.at = end
  return { ...head, ...batches }
}

/** The last batch may be cut off: that is how the limits on an answer work. */
function batchesIn(bytes: Buffer, start: number, end: number): Pick<FetchedPartition, 'messages' | 'next'> {
  const messages: FetchedMessage[] = []
  let next: number | null = null
  for (let at = start; at + headBytes <= end; ) {
    const batchEnd = at + lengthEnd + bytes.readInt32BE(at + 8)
    if (bytes[at + 16] !== magic) throw notForUs
    if (batchEnd > end) break
    readBatch(bytes, at, messages)
    next = Number(bytes.readBigInt64BE(at)) + bytes.readInt32BE(at + 23) + 1
    at = batchEnd
  }
  return { messages, next }
}

function readBatch(bytes: Buffer, start: number, into: FetchedMessage[]): void {
  const attributes = bytes.readInt16BE(start + 21)
  if ((attributes & compressed) !== 0) throw notForUs
  const firstOffset = Number(bytes.readBigInt64BE(start))
  const firstTimestamp = Number(bytes.readBigInt64BE(start + 27))
  const maxTimestamp = Number(bytes.readBigInt64BE(start + 35))
  const batchContext = {
    firstOffset: String(firstOffset),
    lastOffsetDelta: bytes.readInt32BE(start + 23),
    producerId: bytes.readBigInt64BE(start + 43).toString(),
    inTransaction: (attributes & transactional) !== 0,
  }
  const isControlRecord = (attributes & control) !== 0
  const isAppendTime = (attributes & appendTime) !== 0
  const cursor = { bytes, at: start + 57 }
  for (let left = int32(cursor); left > 0; left--) {
    const end = varint(cursor) + cursor.at
    cursor.at += 1
    const timestamp = firstTimestamp + varint(cursor)
    const offset = firstOffset + varint(cursor)
    const key = field(cursor)
    const value = field(cursor)
    into.push({ offset, timestamp: isAppendTime ? maxTimestamp : timestamp, key, value, isControlRecord, batchContext })
    // Headers are somebody else's, and nobody here reads them.
    cursor.at = end
  }
}

/** A view: whoever keeps it for long keeps the answer. */
function field(cursor: Cursor): Buffer | null {
  const length = varint(cursor)
  if (length < 0) return null
  const { at } = cursor
  cursor.at += length
  return cursor.bytes.subarray(at, cursor.at)
}

/** Zigzag, in steps of seven bits; not by shifts, which would cut at 32 bits. */
function varint(cursor: Cursor): number {
  let value = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = cursor.bytes.readUInt8(cursor.at)
    cursor.at += 1
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}

/** A list that is null has -1 items. */
function list<T>(cursor: Cursor, item: () => T): readonly T[] {
  return Array.from({ length: Math.max(0, int32(cursor)) }, item)
}

function text(cursor: Cursor): string {
  const from = cursor.at + 2
  cursor.at = from + cursor.bytes.readInt16BE(cursor.at)
  return cursor.bytes.toString('utf8', from, cursor.at)
}

function int16(cursor: Cursor): number {
  cursor.at += 2
  return cursor.bytes.readInt16BE(cursor.at - 2)
}

function int32(cursor: Cursor): number {
  cursor.at += 4
  return cursor.bytes.readInt32BE(cursor.at - 4)
}

function int64(cursor: Cursor): bigint {
  cursor.at += 8
  return cursor.bytes.readBigInt64BE(cursor.at - 8)
}
