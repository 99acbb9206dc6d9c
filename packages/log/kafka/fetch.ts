/**
 * One topic's partitions, read from given offsets: committed records only, in order. The position after each fetch lies behind
 * everything that was seen, also behind markers and aborted records, which no reader is shown.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { beyondEnd } from '../beyond-end.ts'
import type { LogRecord } from '../port.ts'
import type { Broker, Cluster, Connect, FetchedMessage, FetchedPartition } from './cluster.ts'
import { errorType, failure, topicUnknown } from './failures.ts'

const readUncommitted = 0
const readCommitted = 1
const earliest = -2
const latest = -1
/** With pauses between them that make four seconds in all. */
const offsetAttempts = 20
const fetchBytes = 4 * 1024 * 1024
const partitionBytes = 1024 * 1024

/** A record as it stands in Kafka; the value of a deletion in a changelog is null. */
export interface RawRecord extends Omit<LogRecord, 'value'> {
  readonly value: Uint8Array | null
}

export interface Fetched {
  readonly partition: number
  readonly records: readonly RawRecord[]
  /** Where to read on. */
  readonly next: number
}

export class TopicReader {
  readonly #cluster: Cluster
  readonly #kafkaTopic: string
  readonly #topic: string
  #closed: 'yes' | 'no' = 'no'

  private constructor(cluster: Cluster, kafkaTopic: string, topic: string) {
    this.#cluster = cluster
    this.#kafkaTopic = kafkaTopic
    this.#topic = topic
  }

  /** `topic` is how records are labelled. @throws LoomlogError `topic-unknown` */
  static async open(connect: Connect, kafkaTopic: string, topic: string): Promise<TopicReader> {
    const cluster = connect.cluster()
    try {
      await cluster.connect()
      await cluster.addTargetTopic(kafkaTopic)
      return new TopicReader(cluster, kafkaTopic, topic)
    } catch (error) {
      await cluster.disconnect()
      throw failure(error, `opening ${topic}`)
    }
  }

  get partitions(): readonly number[] {
    return this.#metadata()
      .map(({ partitionId }) => partitionId)
      .sort((a, b) => a - b)
  }

  close(): Promise<void> {
    this.#closed = 'yes'
    return this.#cluster.disconnect()
  }

  /** Offsets after the last record, committed or not. */
  endOffsets(): Promise<readonly number[]> {
    return this.#listOffsets(latest)
  }

  /** Offsets after everything that is decided: up to the first transaction still open. */
  stableOffsets(): Promise<readonly number[]> {
    return this.#listOffsets(latest, readCommitted)
  }

  /** Offsets of the first records that are kept. */
  startOffsets(): Promise<readonly number[]> {
    return this.#listOffsets(earliest)
  }

  leaderOf(partition: number): number {
    const found = this.#metadata().find(({ partitionId }) => partitionId === partition)
    if (!found) throw new RangeError(`topic ${this.#topic} has no partition ${partition}`)
    return found.leader
  }

  /** Partitions with one leader. Waits up to `maxWaitMs` for a first record; nothing at all may come. */
  async fetch(positions: ReadonlyMap<number, number>, maxWaitMs: number): Promise<readonly Fetched[]> {
    const [first] = positions.keys()
    if (first === undefined) return []
    try {
      const broker = await this.#cluster.findBroker({ nodeId: String(this.leaderOf(first)) })
      const response = await broker.fetch(this.#request(positions, maxWaitMs))
      return response.responses
        .flatMap(({ partitions }) => partitions)
        .map((found) => committed(this.#topic, found, positions.get(found.partition) ?? 0))
    } catch (error) {
      if (this.#closed === 'yes') return []
      return await this.#afterFailure(error, positions)
    }
  }

  /** @throws LoomlogError `log-replaced` where a partition ends before its position */
  requireReached(positions: ReadonlyMap<number, number>, ends: readonly number[]): void {
    for (const [partition, next] of positions) {
      const end = ends[partition] ?? 0
      if (next > end) throw beyondEnd({ topic: this.#topic, partition, next, end })
    }
  }

  #request(positions: ReadonlyMap<number, number>, maxWaitTime: number): Parameters<Broker['fetch']>[0] {
    const partitions = [...positions].map(([partition, fetchOffset]) => ({
      partition,
      fetchOffset,
      maxBytes: partitionBytes,
    }))
    const topics = [{ topic: this.#kafkaTopic, partitions }]
    return { isolationLevel: readCommitted, maxWaitTime, minBytes: 1, maxBytes: fetchBytes, topics }
  }

  /** Leaders move and old records are removed: both are part of a log's life, and nothing a reader should hear of. */
  async #afterFailure(error: unknown, positions: ReadonlyMap<number, number>): Promise<readonly Fetched[]> {
    if (errorType(error) === 'OFFSET_OUT_OF_RANGE') {
      const [starts, ends] = await Promise.all([this.startOffsets(), this.endOffsets()])
      this.requireReached(positions, ends)
      await sleep(20)
      return [...positions].map(([partition, position]) => ({
        partition,
        records: [],
        next: Math.max(position, starts[partition] ?? 0),
      }))
    }
    try {
      await sleep(50)
      await this.#cluster.refreshMetadata()
    } catch (refreshError) {
      throw failure(refreshError, `reading ${this.#topic}`)
    }
    if (this.#metadata().length === 0) throw topicUnknown(this.#topic)
    return []
  }

  /** Leaders of a new topic say for a moment that they are none. */
  async #listOffsets(timestamp: number, isolationLevel = readUncommitted): Promise<readonly number[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askOffsets(timestamp, isolationLevel)
      } catch (error) {
        if (this.#closed === 'yes' || attempt === offsetAttempts)
          throw failure(error, `asking where ${this.#topic} ends`)
        await sleep(20 * attempt)
        await this.#cluster.refreshMetadata().catch(() => {})
      }
    }
  }

  async #askOffsets(timestamp: number, isolationLevel: number): Promise<readonly number[]> {
    const offsets: number[] = []
    const leaders = Map.groupBy(this.#metadata(), ({ leader }) => leader)
    for (const [leader, metadata] of leaders) {
      const broker = await this.#cluster.findBroker({ nodeId: String(leader) })
      const partitions = metadata.map(({ partitionId }) => ({ partition: partitionId, timestamp }))
      const topics = [{ topic: this.#kafkaTopic, partitions }]
      const { responses } = await broker.listOffsets({ isolationLevel, topics })
      for (const found of responses.flatMap((response) => response.partitions)) {
        offsets[found.partition] = Number(found.offset)
      }
    }
    return offsets
  }

  #metadata() {
    return this.#cluster.findTopicPartitionMetadata(this.#kafkaTopic)
  }
}

function committed(topic: string, found: FetchedPartition, from: number): Fetched {
  const { partition, messages } = found
  const records: RawRecord[] = []
  for (const message of withoutAborted(found)) {
    const offset = Number(message.offset)
    if (offset < from) continue
    const key = message.key === null ? null : message.key.toString('utf8')
    records.push({ topic, partition, offset, key, value: message.value, timestamp: Number(message.timestamp) })
  }
  const batch = messages.at(-1)?.batchContext
  const next = found.next ?? (batch ? Number(batch.firstOffset) + batch.lastOffsetDelta + 1 : from)
  return { partition, records, next: Math.max(from, next) }
}

/**
 * The broker names the aborted transactions in the order of their ends. Each covers its producer's records from its first
 * offset to that producer's next marker.
 */
function withoutAborted({ messages, abortedTransactions }: FetchedPartition): readonly FetchedMessage[] {
  const starts = abortedTransactions
    .map(({ producerId, firstOffset }) => ({ producerId, offset: Number(firstOffset) }))
    .sort((a, b) => a.offset - b.offset)
  const aborting = new Set<string>()
  let started = 0
  return messages.filter(({ offset, isControlRecord, batchContext }) => {
    for (let start = starts[started]; start && start.offset <= Number(offset); start = starts[started]) {
      aborting.add(start.producerId)
      started += 1
    }
    if (!isControlRecord) return !(batchContext.inTransaction && aborting.has(batchContext.producerId))
    aborting.delete(batchContext.producerId)
    return false
  })
}
