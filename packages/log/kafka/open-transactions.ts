/**
 * Notices transactions that stay open. Committed records after the first open transaction of a partition can't be read
 * before it ends, and a writer that hangs keeps it open for up to a quarter of an hour. So it is reported once, with
 * its producer, and once more when it is over.
 */
import type { Cluster } from './wire/kafkajs-cluster.ts'
import { type ActiveProducer, activeProducers, transactionalIds } from './wire/open-transactions.ts'

export interface ObservedPartition {
  readonly topic: string
  readonly kafkaTopic: string
  readonly partition: number
}

interface Observation {
  readonly lastStableOffset: number
  readonly highWatermark: number
}

interface OpenTransaction {
  readonly from: number
  readonly since: number
  isReported: boolean
}

/** Transactions of loomlog last for a fraction of a second. */
const reportAfterMs = 5_000

export class OpenTransactions {
  readonly #notice: (text: string) => void
  readonly #open = new Map<string, OpenTransaction>()

  constructor(notice: (text: string) => void) {
    this.#notice = notice
  }

  /** Takes the offsets that a fetch returns for a partition. @param cluster with the topic's leaders */
  observe(place: ObservedPartition, { lastStableOffset, highWatermark }: Observation, cluster: Cluster): void {
    const name = `${place.topic}/${place.partition}`
    const known = this.#open.get(name)
    if (known && known.from === lastStableOffset && lastStableOffset < highWatermark) {
      if (known.isReported || performance.now() - known.since < reportAfterMs) return
      known.isReported = true
      void this.#report(name, place, known, cluster)
      return
    }
    if (known?.isReported) this.#notice(`${name}: the transaction from offset ${known.from} on is over`)
    if (lastStableOffset >= highWatermark) this.#open.delete(name)
    else this.#open.set(name, { from: lastStableOffset, since: performance.now(), isReported: false })
  }

  async #report(name: string, place: ObservedPartition, { from }: OpenTransaction, cluster: Cluster): Promise<void> {
    const producer = await producerAt(place, from, cluster).catch((error: Error) => `unknown: ${error.message}`)
    const { kafkaTopic, partition } = place
    this.#notice(
      `${name}: a transaction has been open from offset ${from} on for ${reportAfterMs / 1_000} s, and committed records behind it wait ` +
        `for its end. Its producer: ${producer}. End that writer, or abort the transaction: kafka-transactions.sh abort ` +
        `--topic ${kafkaTopic} --partition ${partition} --start-offset ${from}`,
    )
  }
}

async function producerAt(place: ObservedPartition, from: number, cluster: Cluster): Promise<string> {
  const { kafkaTopic, partition } = place
  const leader = cluster.findTopicPartitionMetadata(kafkaTopic).find(({ partitionId }) => partitionId === partition)
  const broker = await cluster.findBroker({ nodeId: String(leader?.leader ?? '') })
  const producers = await activeProducers(broker, kafkaTopic, partition)
  const producer = producers.find(({ transactionStart }) => transactionStart === from)
  if (!producer) return 'unknown: the leader names none'
  return `${await nameOf(producer, cluster)}, id ${producer.producerId}, epoch ${producer.epoch}, last write at ${new Date(producer.wroteAt).toISOString()}`
}

async function nameOf({ producerId }: ActiveProducer, cluster: Cluster): Promise<string> {
  const { brokers } = await (await cluster.findControllerBroker()).metadata([])
  for (const { nodeId } of brokers) {
    const [id] = await transactionalIds(await cluster.findBroker({ nodeId: String(nodeId) }), producerId)
    if (id !== undefined) return `transactional id ${id}`
  }
  return 'transactional id unknown'
}
