/**
 * The floor on Kafka: a bare loop on kafkajs, without loomlog. It consumes all partitions of a topic in parallel, with
 * a producer for each. For each batch it sends one output of a given size for every record, and the next offset, in one
 * transaction. A transaction that starts too early waits 5 ms, like loomlog's; kafkajs itself would wait 300 ms.
 *
 * It has no decoding, admission, ids, order in a space, keyed state (unless `stateBytes` is set) or fencing.
 */
import kafkajs, { type EachBatchPayload, type Kafka, type KafkaMessage, type Producer } from 'kafkajs'
import type { FloorRun, FloorSize } from './floor.ts'

export interface KafkaFloor extends FloorSize {
  readonly brokers: readonly string[]
  /** The topics' names in Kafka. */
  readonly input: string
  readonly output: string
  readonly state: string
  /** The number of all records. */
  readonly size: number
}

/** Names that are unique on these brokers. */
let runs = 0

export async function runKafkaFloor(floor: KafkaFloor): Promise<FloorRun> {
  const name = `floor-${process.pid}-${Date.now()}-${runs++}`
  const kafka = new kafkajs.Kafka({
    brokers: [...floor.brokers],
    clientId: name,
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { initialRetryTime: 5, multiplier: 2, maxRetryTime: 1_000, retries: 30 },
  })
  const ids = Array.from({ length: floor.partitions }, (_, partition) => `${name}-${partition}`)
  const producers = await Promise.all(ids.map((id) => readyProducer(kafka, id)))
  const consumer = kafka.consumer({ groupId: name })
  await consumer.connect()
  await consumer.subscribe({ topic: floor.input, fromBeginning: true })
  const done = Promise.withResolvers<number>()
  const cpuBefore = process.cpuUsage()
  let startedAt = 0
  let records = 0
  let transactions = 0
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: floor.partitions,
    async eachBatch({ batch: { messages, partition }, heartbeat, resolveOffset }: EachBatchPayload) {
      startedAt ||= performance.now()
      for (let at = 0; at < messages.length; at += floor.recordsOfATransaction) {
        const taken = messages.slice(at, at + floor.recordsOfATransaction)
        const last = taken.at(-1)?.offset ?? '0'
        await transact(floor, { producer: producers[partition] as Producer, group: name, partition, taken, last })
        resolveOffset(last)
        await heartbeat()
        transactions += 1
        records += taken.length
        if (records === floor.size) done.resolve(performance.now() - startedAt)
      }
    },
  })
  const ms = await done.promise
  const { user, system } = process.cpuUsage(cpuBefore)
  await consumer.disconnect()
  await Promise.all(producers.map((producer) => producer.disconnect()))
  return { ms, transactions, cpuMicros: (user + system) / floor.size }
}

interface Progress {
  readonly producer: Producer
  readonly group: string
  readonly partition: number
  readonly taken: readonly KafkaMessage[]
  readonly last: string
}

async function transact(floor: KafkaFloor, { producer, group, partition, taken, last }: Progress): Promise<void> {
  const topicMessages = [{ topic: floor.output, messages: copies(taken, partition, Buffer.alloc(floor.outputBytes)) }]
  if (floor.stateBytes > 0) {
    const state = Buffer.alloc(floor.stateBytes)
    topicMessages.push({ topic: floor.state, messages: copies(taken, partition, state) })
  }
  const transaction = await producer.transaction()
  await transaction.sendBatch({ topicMessages })
  const offset = { partition, offset: String(Number(last) + 1) }
  await transaction.sendOffsets({ consumerGroupId: group, topics: [{ topic: floor.input, partitions: [offset] }] })
  await transaction.commit()
}

function copies(taken: readonly KafkaMessage[], partition: number, value: Buffer) {
  return taken.map(({ key, timestamp }) => ({ key, value, partition, timestamp }))
}

/** Makes the producer request its id before the clock starts. */
async function readyProducer(kafka: Kafka, transactionalId: string): Promise<Producer> {
  const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  await (await producer.transaction()).abort()
  return producer
}
