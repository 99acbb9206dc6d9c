/**
 * The body of a produce request with records as produce.ts makes them, written into one buffer: byte for byte that of
 * kafkajs.
 */
import { type BatchRecord, batchSizeBound, writeBatch } from './record-batch.ts'

interface ProducePartition {
  readonly partition: number
  readonly firstSequence: number
  readonly messages: readonly BatchRecord[]
}

interface ProduceTopic {
  readonly topic: string
  readonly partitions: readonly ProducePartition[]
}

export interface ProduceRequest {
  readonly acks: number
  readonly timeout: number
  readonly transactionalId?: string
  readonly producerId: string
  readonly producerEpoch: number
  readonly topicData: readonly ProduceTopic[]
}

/** transactionalId acks:2 timeout:4 [topic [partition:4 size:4 batch]], in the request's versions from 3 to 7. */
export function produceBody(request: ProduceRequest): Buffer {
  const { transactionalId, acks, timeout, topicData } = request
  const body = Buffer.allocUnsafe(bodyBound(request))
  let end = writeString(body, 0, transactionalId ?? null)
  end = body.writeInt16BE(acks, end)
  end = body.writeInt32BE(timeout, end)
  end = body.writeInt32BE(topicData.length, end)
  for (const { topic, partitions } of topicData) {
    end = writeString(body, end, topic)
    end = body.writeInt32BE(partitions.length, end)
    for (const partition of partitions) end = writePartition(body, end, partition, request)
  }
  return body.subarray(0, end)
}

function writePartition(body: Buffer, start: number, one: ProducePartition, request: ProduceRequest): number {
  const from = start + 8
  const end = writeBatch(body, from, {
    records: one.messages,
    producerId: BigInt(request.producerId),
    producerEpoch: request.producerEpoch,
    firstSequence: one.firstSequence,
    kind: request.transactionalId ? 'transactional' : 'plain',
  })
  // kafkajs passes the partition as text, since it is the key of an object there.
  body.writeInt32BE(Number(one.partition), start)
  body.writeInt32BE(end - from, start + 4)
  return end
}

function writeString(body: Buffer, start: number, text: string | null): number {
  if (text === null) return body.writeInt16BE(-1, start)
  const bytes = body.write(text, start + 2, 'utf8')
  body.writeInt16BE(bytes, start)
  return start + 2 + bytes
}

function bodyBound({ transactionalId, topicData }: ProduceRequest): number {
  const string = (text: string) => 2 + 3 * text.length
  const partitions = (of: readonly ProducePartition[]) =>
    of.reduce((sum, one) => sum + 8 + batchSizeBound(one.messages), 4)
  return topicData.reduce(
    (sum, { topic, partitions: of }) => sum + string(topic) + partitions(of),
    10 + string(transactionalId ?? ''),
  )
}
