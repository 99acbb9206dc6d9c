/**
 * One topic's partitions, read from given offsets: committed records only, in order. The position after a fetch lies
 * after everything fetched, also after markers and aborted records, which no reader gets.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { beyondEnd } from '../beyond-end.ts'
import type { Connect } from './driver.ts'
import { type Access, errorType, isRetriable, toLogError, topicUnknown } from './failures.ts'
import type { OpenTransactions } from './open-transactions.ts'
import { committedRecords, type FetchResult } from './read-committed.ts'
import type { FetchedPartition } from './wire/fetch-response.ts'
import type { Broker, Cluster } from './wire/kafkajs-cluster.ts'

const readUncommitted = 0
const readCommitted = 1
const earliest = -2
const latest = -1
/** The pauses between them add up to four seconds. */
const offsetAttempts = 20
/** Transactions of loomlog end within this time, unless their process stopped. */
const lastStableWithinMs = 2_000
const lastStablePollMs = 20
/** Fetches that fail for so long in succession end the reading. */
const failingForMs = 30_000
const firstRetryMs = 50
const maxRetryMs = 1_000
const fetchBytes = 4 * 1024 * 1024
const partitionBytes = 1024 * 1024

export class TopicReader {
  readonly #cluster: Cluster
  readonly #kafkaTopic: string
  readonly #topic: string
  readonly #transactions: OpenTransactions
  #isClosed = false
  /** The first offset of a transaction that did not end in time, by partition. */
  readonly #hanging = new Map<number, number>()
  /** Null while fetches succeed. */
  #failing: { readonly since: number; pauseMs: number } | null = null

  private constructor(cluster: Cluster, transactions: OpenTransactions, kafkaTopic: string, topic: string) {
    this.#cluster = cluster
    this.#transactions = transactions
    this.#kafkaTopic = kafkaTopic
    this.#topic = topic
  }

  /** `topic` is how records are labelled. @throws LoomlogError `topic-unknown` */
  static async open(connect: Connect, kafkaTopic: string, topic: string): Promise<TopicReader> {
    const cluster = connect.cluster()
    try {
      await cluster.connect()
      await cluster.addTargetTopic(kafkaTopic)
      return new TopicReader(cluster, connect.openTransactions, kafkaTopic, topic)
    } catch (error) {
      await cluster.disconnect()
      throw toLogError(error, `opening ${topic}`, { operation: 'DESCRIBE', kind: 'topic', names: [kafkaTopic] })
    }
  }

  get partitions(): readonly number[] {
    return this.#metadata()
      .map(({ partitionId }) => partitionId)
      .sort((a, b) => a - b)
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#cluster.disconnect()
  }

  /** Offsets after the last record, committed or not. */
  endOffsets(): Promise<readonly number[]> {
    return this.#listOffsets(latest)
  }

  /**
   * Offsets after every record that is committed by now. A commit returns before its markers are in every partition, so
   * this waits for open transactions. It waits only once for a transaction that doesn't end in time; the offset of its
   * partition is then where it begins.
   */
  async lastStableOffsets(): Promise<readonly number[]> {
    const deadline = performance.now() + lastStableWithinMs
    const stableOffsets = () => this.#listOffsets(latest, readCommitted)
    const [ends, first] = await Promise.all([this.endOffsets(), stableOffsets()])
    for (let stable = first; ; stable = await stableOffsets()) {
      const open = stable.flatMap((offset, at) => (offset < (ends[at] ?? 0) ? [[at, offset] as const] : []))
      if (open.every(([partition, offset]) => this.#hanging.get(partition) === offset)) return stable
      if (performance.now() > deadline) {
        for (const [partition, offset] of open) this.#hanging.set(partition, offset)
        return stable
      }
      await sleep(lastStablePollMs)
    }
  }

  /** Offsets of the first records that are kept. */
  startOffsets(): Promise<readonly number[]> {
    return this.#listOffsets(earliest)
  }

  leaderOf(partition: number): number {
    const found = this.#metadata().find(({ partitionId }) => partitionId === partition)
    if (!found) throw topicUnknown(`${this.#topic}/${partition}`)
    return found.leader
  }

  /** Fetches partitions that share a leader. Waits up to `maxWaitMs` for a first record; the result may be empty. */
  async fetch(positions: ReadonlyMap<number, number>, maxWaitMs: number): Promise<readonly FetchResult[]> {
    const [first] = positions.keys()
    if (first === undefined) return []
    try {
      const broker = await this.#cluster.findBroker({ nodeId: String(this.leaderOf(first)) })
      const response = await broker.fetch(this.#request(positions, maxWaitMs))
      this.#failing = null
      return response.responses
        .flatMap(({ partitions }) => partitions)
        .map((found) => this.#committed(found, positions.get(found.partition) ?? 0))
    } catch (error) {
      if (this.#isClosed) return []
      return await this.#afterFailure(error, positions)
    }
  }

  #committed(found: FetchedPartition, from: number): FetchResult {
    const place = { topic: this.#topic, kafkaTopic: this.#kafkaTopic, partition: found.partition }
    this.#transactions.observe(place, found, this.#cluster)
    return committedRecords(this.#topic, found, from)
  }

  /** @throws LoomlogError `log-replaced` where a partition ends before its position */
  async requireReached(positions: ReadonlyMap<number, number>): Promise<void> {
    const ends = await this.endOffsets()
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

  /**
   * Leaders move and connections break: that passes, and the fetch is retried, with backoff, for half a minute. A
   * position whose records were removed moves to the first one that is kept. Every other failure ends the reading with
   * its place.
   */
  async #afterFailure(error: unknown, positions: ReadonlyMap<number, number>): Promise<readonly FetchResult[]> {
    if (errorType(error) === 'OFFSET_OUT_OF_RANGE') return await this.#fromStart(positions)
    this.#failing ??= { since: performance.now(), pauseMs: firstRetryMs }
    if (!isRetriable(error) || performance.now() - this.#failing.since > failingForMs)
      throw this.#unread(error, positions)
    await sleep(this.#failing.pauseMs)
    this.#failing.pauseMs = Math.min(2 * this.#failing.pauseMs, maxRetryMs)
    try {
      await this.#cluster.refreshMetadata()
    } catch (refreshError) {
      throw toLogError(refreshError, `reading ${this.#topic}`, this.#access('DESCRIBE'))
    }
    if (this.#metadata().length === 0) throw topicUnknown(this.#topic)
    return []
  }

  async #fromStart(positions: ReadonlyMap<number, number>): Promise<readonly FetchResult[]> {
    await this.requireReached(positions)
    const starts = await this.startOffsets()
    await sleep(20)
    return [...positions].map(([partition, position]) => ({
      partition,
      records: [],
      next: Math.max(position, starts[partition] ?? 0),
    }))
  }

  #unread(error: unknown, positions: ReadonlyMap<number, number>): unknown {
    const places = [...positions].map(([partition, offset]) => `${this.#topic}/${partition} from offset ${offset}`)
    const doing = `reading ${places.join(', ')}`
    const mapped = toLogError(error, doing, this.#access('READ'))
    if (isLoomlogError(mapped) || !(mapped instanceof Error)) return mapped
    return new LoomlogError('log-unavailable', `${doing}: ${mapped.message}`, { cause: mapped })
  }

  #access(operation: string): Access {
    return { operation, kind: 'topic', names: [this.#kafkaTopic] }
  }

  /** Retries, because the leaders of a new topic deny for a moment that they are its leaders. */
  async #listOffsets(timestamp: number, isolationLevel = readUncommitted): Promise<readonly number[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askOffsets(timestamp, isolationLevel)
      } catch (error) {
        const mapped = toLogError(error, `asking where ${this.#topic} ends`, this.#access('DESCRIBE'))
        if (this.#isClosed || attempt === offsetAttempts || isLoomlogError(mapped, 'log-unauthorized')) throw mapped
        await sleep(20 * attempt)
        await this.#cluster.refreshMetadata().catch(() => {})
      }
    }
  }

  async #askOffsets(timestamp: number, isolationLevel: number): Promise<readonly number[]> {
    const offsets: number[] = []
    const leaders = Map.groupBy(this.#metadata(), ({ leader }) => leader)
    // Without this, a read of a topic whose metadata has not arrived would end at once, without a record.
    if (leaders.size === 0) throw topicUnknown(this.#topic)
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
