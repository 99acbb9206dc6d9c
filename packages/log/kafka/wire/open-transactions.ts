/**
 * Finds the producer whose open transaction holds back a partition's committed records. DescribeProducers asks the
 * partition's leader for its producers and their transactions; ListTransactions asks each broker for a producer's
 * transactional id.
 *
 *   61 request  => [topic [partition:4] tags]                                                              (version 0)
 *      response => throttle:4 [topic [partition:4 error:2 message [producer_id:8 epoch:4 last_sequence:4
 *      last_timestamp:8
 *                  coordinator_epoch:4 transaction_start:8 tags] tags] tags]
 *   66 request  => [state] [producer_id:8]                                                                 (version 0)
 *      response => throttle:4 error:2 [unknown_state] [transactional_id producer_id:8 state tags]
 */
import { requireNoError, sendFlexible, skipTags, withoutTags } from './flexible.ts'
import type { RequestConnection } from './kafkajs-cluster.ts'
import { type Decoder, KafkaEncoder } from './kafkajs-codec.ts'

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
  const partitions = [new KafkaEncoder().writeInt32(partition)]
  const topic = withoutTags(new KafkaEncoder().writeUVarIntString(kafkaTopic).writeUVarIntArray(partitions))
  const body = new KafkaEncoder().writeUVarIntArray([topic])
  return sendFlexible(leader, { apiKey: 61, apiName: 'DescribeProducers', apiVersion: 0, body, read: producersIn })
}

function producersIn(decoder: Decoder): readonly ActiveProducer[] {
  decoder.readInt32()
  return decoder.readUVarIntArray(ofTopic)?.flat() ?? []
}

function ofTopic(decoder: Decoder): readonly ActiveProducer[] {
  decoder.readUVarIntString()
  const partitions = decoder.readUVarIntArray(ofPartition) ?? []
  skipTags(decoder)
  return partitions.flat()
}

function ofPartition(decoder: Decoder): readonly ActiveProducer[] {
  decoder.readInt32()
  requireNoError(decoder.readInt16())
  decoder.readUVarIntString()
  const producers = decoder.readUVarIntArray(activeProducer) ?? []
  skipTags(decoder)
  return producers
}

function activeProducer(decoder: Decoder): ActiveProducer {
  const producerId = decoder.readInt64()
  const epoch = decoder.readInt32()
  decoder.readInt32()
  const wroteAt = Number(decoder.readInt64())
  decoder.readInt32()
  const transactionStart = Number(decoder.readInt64())
  skipTags(decoder)
  return { producerId, epoch, wroteAt, transactionStart }
}

/** The transactional ids under which a broker coordinates this producer: one, or none where another broker does. */
export function transactionalIds(coordinator: RequestConnection, producerId: bigint): Promise<readonly string[]> {
  const id = new KafkaEncoder().writeInt64(producerId)
  const body = new KafkaEncoder().writeUVarIntArray([]).writeUVarIntArray([id])
  return sendFlexible(coordinator, { apiKey: 66, apiName: 'ListTransactions', apiVersion: 0, body, read: idsIn })
}

function idsIn(decoder: Decoder): readonly string[] {
  decoder.readInt32()
  requireNoError(decoder.readInt16())
  decoder.readUVarIntArray((state) => state.readUVarIntString())
  return decoder.readUVarIntArray(transactionalId) ?? []
}

function transactionalId(decoder: Decoder): string {
  const id = decoder.readUVarIntString() ?? ''
  decoder.readInt64()
  decoder.readUVarIntString()
  skipTags(decoder)
  return id
}
