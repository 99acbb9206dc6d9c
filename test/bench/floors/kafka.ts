/**
 * The floor on Kafka: the fastest loop that kafkajs alone allows, with nothing of loomlog in it. It consumes every partition of a
 * topic side by side, and for each batch sends one output of a given size for every record and the next offset in one
 * transaction, with a producer for each partition. Variants that were slower: one producer for all partitions, a record at a time
 * (eachMessage), kafkajs's own retry times (a transaction that comes too early then waits 300 ms).
 *
 * It leaves out everything between the bytes: decoding, admission, ids, order, state, fencing when it starts.
 */
import kafkajs, { type EachBatchPayload, type Producer } from 'kafkajs'

export interface KafkaFloor {
  readonly brokers: readonly string[]
  readonly input: string
  readonly output: string
  readonly partitions: number
  /** Records in all. */
  readonly size: number
  readonly recordsOfATransaction: number
  /** What is written for one record. */
  readonly outputValue: Buffer
}

export interface FloorRun {
  readonly ms: number
  readonly transactions: number
}

/** Names that no other run on these brokers has. */
let runs = 0

export async function kafkaFloor(floor: KafkaFloor): Promise<FloorRun> {
  const name = `floor-${process.pid}-${Date.now()}-${runs++}`
  const kafka = new kafkajs.Kafka({
    brokers: [...floor.brokers],
    clientId: name,
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { initialRetryTime: 5, multiplier: 2, maxRetryTime: 1_000, retries: 30 },
  })
  const producers = await Promise.all(Array.from({ length: floor.partitions }, (_, at) => fenced(kafka, `${name}-${at}`)))
  const consumer = kafka.consumer({ groupId: name, readUncommitted: false, minBytes: 1, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topic: floor.input, fromBeginning: true })
  const done = Promise.withResolvers<number>()
  let startedAt = 0
  let records = 0
  let transactions = 0
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: floor.partitions,
    async eachBatch({ batch, heartbeat, resolveOffset }: EachBatchPayload) {
      startedAt ||= performance.now()
      const producer = producers[batch.partition] as Producer
      for (let at = 0; at < batch.messages.length; at += floor.recordsOfATransaction) {
        const messages = batch.messages.slice(at, at + floor.recordsOfATransaction)
        const last = messages.at(-1)?.offset ?? '0'
        const transaction = await producer.transaction()
        await transaction.send({
          topic: floor.output,
          messages: messages.map(({ key, timestamp }) => ({
            key,
            value: floor.outputValue,
            partition: batch.partition,
            timestamp,
          })),
        })
        const offset = { partition: batch.partition, offset: String(Number(last) + 1) }
        await transaction.sendOffsets({ consumerGroupId: name, topics: [{ topic: floor.input, partitions: [offset] }] })
        await transaction.commit()
        resolveOffset(last)
        await heartbeat()
        transactions += 1
        records += messages.length
        if (records === floor.size) done.resolve(performance.now() - startedAt)
      }
    },
  })
  const ms = await done.promise
  await consumer.disconnect()
  await Promise.all(producers.map((producer) => producer.disconnect()))
  return { ms, transactions }
}

/** Its producer id is there before the clock starts. */
async function fenced(kafka: InstanceType<typeof kafkajs.Kafka>, transactionalId: string): Promise<Producer> {
  const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  await (await producer.transaction()).abort()
  return producer
}
