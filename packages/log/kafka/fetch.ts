/**
 * One topic's partitions, read from given offsets: committed records only, in order. The position after each fetch lies behind
 * everything that was seen, also behind markers and aborted records, which no reader is shown.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { beyondEnd } from '../beyond-end.ts'
import type { LogRecord } from '../port.ts'
import type { Broker, Cluster, Connect } from './cluster.ts'
import { errorType, failure, mayPass, topicUnknown } from './failures.ts'
import type { BatchedRecord } from './wire/batches.ts'
import type { FetchedPartition } from './wire/fetch-response.ts'

const readUncommitted = 0
const readCommitted = 1
const earliest = -2
const latest = -1
/** With pauses between them that make four seconds in all. */
const offsetAttempts = 20
/** Fetches that fail for so long in succession end the reading. */
const failingForMs = 30_000
const firstRetryMs = 50
const maxRetryMs = 1_000
const fetchBytes = 4 * 1024 * 1024
const partitionBytes = 1024 * 1024

/** A record as it stands in Kafka. */
export interface RawRecord extends Omit<LogRecord, 'value'> {
  /** Null: a deletion in a changelog, or a batch that can't be read. */
  readonly value: Uint8Array | null
  /** Why the batch that begins here can't be read, with its place; null for a record. */
  readonly fault: string | null
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
  /** Null while fetches succeed. */
  #failing: { readonly since: number; pauseMs: number } | null = null

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
    if (!found) throw topicUnknown(`${this.#topic}/${partition}`)
    return found.leader
  }

  /** Partitions with one leader. Waits up to `maxWaitMs` for a first record; nothing at all may come. */
  async fetch(positions: ReadonlyMap<number, number>, maxWaitMs: number): Promise<readonly Fetched[]> {
    const [first] = positions.keys()
    if (first === undefined) return []
    try {
      const broker = await this.#cluster.findBroker({ nodeId: String(this.leaderOf(first)) })
      const response = await broker.fetch(this.#request(positions, maxWaitMs))
      this.#failing = null
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

  /**
   * Leaders move, connections break and old records are removed: that passes, and the fetch is tried again, with growing pauses, for
   * half a minute. Every other failure ends the reading with its place.
   */
  async #afterFailure(error: unknown, positions: ReadonlyMap<number, number>): Promise<readonly Fetched[]> {
    if (errorType(error) === 'OFFSET_OUT_OF_RANGE') return await this.#fromStart(positions)
    this.#failing ??= { since: performance.now(), pauseMs: firstRetryMs }
    if (!mayPass(error) || performance.now() - this.#failing.since > failingForMs) throw this.#unread(error, positions)
    await sleep(this.#failing.pauseMs)
    this.#failing.pauseMs = Math.min(2 * this.#failing.pauseMs, maxRetryMs)
    try {
      await this.#cluster.refreshMetadata()
    } catch (refreshError) {
      throw failure(refreshError, `reading ${this.#topic}`)
    }
    if (this.#metadata().length === 0) throw topicUnknown(this.#topic)
    return []
  }

  async #fromStart(positions: ReadonlyMap<number, number>): Promise<readonly Fetched[]> {
    const [starts, ends] = await Promise.all([this.startOffsets(), this.endOffsets()])
    this.requireReached(positions, ends)
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
    const told = failure(error, doing)
    if (isLoomlogError(told) || !(told instanceof Error)) return told
    return new LoomlogError('log-unavailable', `${doing}: ${told.message}`, { cause: told })
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
  const { partition } = found
  const records: RawRecord[] = []
  for (const { offset, key, value, timestamp, batch, fault } of withoutAborted(found)) {
    if (offset < from) continue
    const place = { topic, partition, offset, timestamp }
    const reason = fault === null ? null : `${topic}/${partition}, offsets ${offset} to ${batch.lastOffset}: ${fault}`
    records.push({ ...place, key: key === null ? null : key.toString('utf8'), value, fault: reason })
  }
  return { partition, records, next: nextOf(found, from) }
}

/** The head of a batch that can't be read may be damaged too: reading then goes on behind its first offset, or at the end. */
function nextOf({ next, records, highWatermark }: FetchedPartition, from: number): number {
  const behind = Math.max(from, next ?? from)
  return records.some(({ fault }) => fault !== null) ? Math.min(Math.max(behind, from + 1), highWatermark) : behind
}

/**
 * The broker names the aborted transactions in the order of their ends. Each covers its producer's records from its first
 * offset to that producer's next marker.
 */
function withoutAborted({ records, abortedTransactions }: FetchedPartition): readonly BatchedRecord[] {
  const starts = abortedTransactions.toSorted((a, b) => a.firstOffset - b.firstOffset)
  const aborting = new Set<string>()
  let started = 0
  return records.filter(({ offset, isControlRecord, batch }) => {
    for (let start = starts[started]; start && start.firstOffset <= offset; start = starts[started]) {
      aborting.add(start.producerId)
      started += 1
    }
    if (!isControlRecord) return !(batch.inTransaction && aborting.has(batch.producerId))
    aborting.delete(batch.producerId)
    return false
  })
}
