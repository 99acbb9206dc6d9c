/**
 * The response to a fetch. kafkajs allocates a decoder for every record and big integers for its numbers, and
 * decompresses gzip only.
 *
 *   response  => throttle:4 error:2 session:4 [topic [partition:4 error:2 highWatermark:8 lastStable:8 logStart:8
 *                [aborted: producerId:8 firstOffset:8] preferredReplica:4 size:4 batch*]]       (version 11)
 */
import { type Batches, readBatches } from './batches.ts'
import { Decoder } from './kafkajs-codec.ts'

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

const noBytes = Buffer.alloc(0)

/** @throws RangeError for a response that is cut off, or has a wrong length or count */
export function fetchResponse(bytes: Buffer): FetchResponse {
  const decoder = new Decoder(bytes)
  return {
    throttleTime: 0,
    clientSideThrottleTime: decoder.readInt32(),
    errorCode: decoder.readInt16(),
    sessionId: decoder.readInt32(),
    responses: decoder.readArray(topic),
  }
}

function topic(decoder: Decoder): FetchResponse['responses'][number] {
  return { topicName: decoder.readString() ?? '', partitions: decoder.readArray(partition) }
}

function partition(decoder: Decoder): FetchedPartition {
  const head = {
    partition: decoder.readInt32(),
    errorCode: decoder.readInt16(),
    highWatermark: Number(decoder.readInt64()),
    lastStableOffset: Number(decoder.readInt64()),
    logStartOffset: Number(decoder.readInt64()),
    abortedTransactions: decoder.readArray(abortedTransaction),
    preferredReadReplica: decoder.readInt32(),
  }
  return { ...head, ...readBatches(decoder.readBytes() ?? noBytes) }
}

function abortedTransaction(decoder: Decoder): FetchedPartition['abortedTransactions'][number] {
  return { producerId: decoder.readInt64().toString(), firstOffset: Number(decoder.readInt64()) }
}
