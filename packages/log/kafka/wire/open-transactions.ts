/**
 * Finds the producer whose open transaction holds back a partition's committed records. DescribeProducers asks the
 * partition's leader for its producers and their transactions; ListTransactions asks each broker for a producer's
 * transactional id.
 *
 *   61 request  => [topic [partition:4] tags]                                                              (version 0)
 *      response => throttle:4 [topic [partition:4 error:2 message [producer_id:8 epoch:4 last_sequence:4 last_timestamp:8
 *                  coordinator_epoch:4 transaction_start:8 tags] tags] tags]
 *   66 request  => [state] [producer_id:8]                                                                 (version 0)
 *      response => throttle:4 error:2 [unknown_state] [transactional_id producer_id:8 state tags]
 */
import { bigint64, type Cursor, int16, int32, int64 } from './cursor.ts'
import {
  compactList,
  compactText,
  noTags,
  readList,
  readText,
  requireNoError,
  sendFlexible,
  skipTags,
} from './flexible.ts'
import type { RequestConnection } from './kafkajs-cluster.ts'

export interface ActiveProducer {
  readonly producerId: bigint
  readonly epoch: number
  /** When it last wrote here, in ms since the epoch. */
  readonly wroteAt: number
  /** The first offset of its open transaction; -1: none is open. */
  readonly transactionStart: number
}

/** @param leader of the partition */
export function activeProducers(
  leader: RequestConnection,
  kafkaTopic: string,
  partition: number,
): Promise<readonly ActiveProducer[]> {
  const number = Buffer.alloc(4)
  number.writeInt32BE(partition)
  const body = compactList([Buffer.concat([compactText(kafkaTopic), compactList([number]), noTags])])
  return sendFlexible(leader, { apiKey: 61, apiName: 'DescribeProducers', apiVersion: 0, body, read: producersIn })
}

function producersIn(cursor: Cursor): readonly ActiveProducer[] {
  int32(cursor)
  return readList(cursor, () => {
    readText(cursor)
    const partitions = readList(cursor, () => ofPartition(cursor))
    skipTags(cursor)
    return partitions.flat()
  }).flat()
}

function ofPartition(cursor: Cursor): readonly ActiveProducer[] {
  int32(cursor)
  requireNoError(int16(cursor))
  readText(cursor)
  const producers = readList(cursor, () => {
    const producerId = bigint64(cursor)
    const epoch = int32(cursor)
    int32(cursor)
    const wroteAt = int64(cursor)
    int32(cursor)
    const transactionStart = int64(cursor)
    skipTags(cursor)
    return { producerId, epoch, wroteAt, transactionStart }
  })
  skipTags(cursor)
  return producers
}

/** The transactional ids under which a broker coordinates this producer: one, or none where another broker does. */
export function transactionalIds(coordinator: RequestConnection, producerId: bigint): Promise<readonly string[]> {
  const id = Buffer.alloc(8)
  id.writeBigInt64BE(producerId)
  const body = Buffer.concat([compactList([]), compactList([id])])
  const read = (cursor: Cursor) => {
    int32(cursor)
    requireNoError(int16(cursor))
    readList(cursor, () => readText(cursor))
    return readList(cursor, () => transactionalId(cursor))
  }
  return sendFlexible(coordinator, { apiKey: 66, apiName: 'ListTransactions', apiVersion: 0, body, read })
}

function transactionalId(cursor: Cursor): string {
  const id = readText(cursor)
  int64(cursor)
  readText(cursor)
  skipTags(cursor)
  return id
}
