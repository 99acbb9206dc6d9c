/**
 * The response to a fetch. kafkajs allocates a decoder for every record and big integers for its numbers, and
 * decompresses gzip only.
 *
 *   response  => throttle:4 error:2 session:4 [topic [partition:4 error:2 highWatermark:8 lastStable:8 logStart:8
 *                [aborted: producerId:8 firstOffset:8] preferredReplica:4 size:4 batch*]]       (version 11)
 */
import { type Batches, readBatches } from './batches.ts'
import { bigint64, type Cursor, int16, int32, int64, list, text } from './cursor.ts'

export interface FetchedPartition extends Batches {
  readonly partition: number
  readonly errorCode: number
  readonly highWatermark: number
  /** The first offset of an open transaction, or the high watermark. */
  readonly lastStableOffset: number
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: number }[]
}

export interface FetchResponse {
  readonly throttleTime: 0
  readonly clientSideThrottleTime: number
  readonly errorCode: number
  readonly sessionId: number
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[]
}

export function fetchResponse(bytes: Buffer): FetchResponse {
  const cursor = { bytes, at: 0 }
  return {
    throttleTime: 0,
    clientSideThrottleTime: int32(cursor),
    errorCode: int16(cursor),
    sessionId: int32(cursor),
    responses: list(cursor, () => ({ topicName: text(cursor), partitions: list(cursor, () => partition(cursor)) })),
  }
}

function partition(cursor: Cursor): FetchedPartition {
  const head = {
    partition: int32(cursor),
    errorCode: int16(cursor),
    highWatermark: int64(cursor),
    lastStableOffset: int64(cursor),
    logStartOffset: int64(cursor),
    abortedTransactions: list(cursor, () => ({
      producerId: bigint64(cursor).toString(),
      firstOffset: int64(cursor),
    })),
    preferredReadReplica: int32(cursor),
  }
  const size = Math.max(0, int32(cursor))
  const start = cursor.at
  cursor.at = start + size
  return { ...head, ...readBatches(cursor.bytes, start, Math.min(cursor.at, cursor.bytes.length)) }
}
