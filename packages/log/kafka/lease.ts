/**
 * A lease on Kafka: a transactional producer whose id names the partition, so that the cluster itself lets only the
 * latest owner commit. Every failure once a commit has begun ends the lease, since its outcome is unknown. The next
 * owner finds it in the changelog.
 */

import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Producer, Transaction } from 'kafkajs'
import type { Checkpoint } from '../checkpoint.ts'
import { crashPoint } from '../crash-points.ts'
import type { KeyStore } from '../encryption/key-store.ts'
import { partitionOfRecord } from '../partition.ts'
import type { Commit, Lease, LogRecord, StateReader } from '../port.ts'
import { checkCommitSize, limitOf } from '../record-size.ts'
import { changelogRecords, type LeaseRecord } from './changelog.ts'
import { isFencedError, toLogError } from './failures.ts'
import { InputCheckpoints } from './input-continuity.ts'
import type { KafkaNames } from './names.ts'
import { type PartitionRecord, sendRecords } from './produce.ts'
import { withValue } from './read.ts'
import type { LocalState } from './state.ts'
import type { TopicReader } from './topic-reader.ts'
import type { KafkaTopics } from './topics.ts'
import { untilAborted } from './until-aborted.ts'

export interface LeaseParts {
  readonly names: KafkaNames
  readonly topics: KafkaTopics
  readonly keys: KeyStore
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly producer: Producer
  readonly reader: TopicReader
  readonly local: LocalState
}

const maxFetchWaitMs = 1_000

export class KafkaLease implements Lease {
  readonly topic: string
  readonly partition: number
  readonly epoch: number
  readonly position: number
  readonly state: StateReader
  readonly signal: AbortSignal
  readonly #parts: LeaseParts
  readonly #lost = new AbortController()
  readonly #fetched: LogRecord[] = []
  readonly #input: InputCheckpoints
  #record: LeaseRecord
  #next: number
  #committing: Promise<unknown> = Promise.resolve()

  constructor(parts: LeaseParts, record: LeaseRecord & { readonly input: Checkpoint }, revoked: AbortSignal) {
    this.#parts = parts
    this.#input = new InputCheckpoints(record.input)
    this.#record = record
    this.#next = record.position
    this.topic = parts.topic
    this.partition = parts.partition
    this.epoch = record.epoch
    this.position = record.position
    this.state = parts.local
    this.signal = AbortSignal.any([this.#lost.signal, revoked])
  }

  async poll(limits: { readonly maxRecords: number; readonly maxWaitMs: number }): Promise<readonly LogRecord[]> {
    const deadline = performance.now() + limits.maxWaitMs
    for (;;) {
      if (this.signal.aborted) return []
      if (this.#fetched.length > 0) return this.#fetched.splice(0, limits.maxRecords)
      const leftMs = Math.max(0, Math.ceil(deadline - performance.now()))
      const from = this.#next
      const fetching = this.#parts.reader.fetch(new Map([[this.partition, from]]), Math.min(leftMs, maxFetchWaitMs))
      fetching.catch(() => {})
      const fetched = await untilAborted(fetching, this.signal)
      if (fetched === null) return []
      for (const { records, next } of fetched) {
        if (this.#next !== from) break
        const readable = records.map(withValue)
        this.#input.read(readable)
        // Not spread into one call: a compressed fetch has any number of small records.
        for (const record of readable) this.#fetched.push(record)
        this.#next = next
      }
      if (leftMs === 0 && this.#fetched.length === 0) return []
    }
  }

  seek(offset: number): void {
    this.#fetched.length = 0
    this.#next = offset
  }

  async commit(commit: Commit): Promise<void> {
    const done = this.#committing.then(async () => this.#commit(commit, await this.#placed(commit)))
    this.#committing = done.catch(() => {})
    await done
  }

  /**
   * Writes this owner's lease record and its mark in the local file. An earlier owner can then no longer write the
   * file.
   */
  async announce(): Promise<void> {
    await this.#commit({ outputs: [], state: [], position: this.position }, [])
    this.#parts.local.write()
    crashPoint('lease.after-take')
  }

  async release(): Promise<void> {
    this.#lost.abort()
    await this.#committing
    crashPoint('lease.before-release')
    this.#parts.local.close()
    await this.#parts.reader.close()
    await this.#parts.producer.disconnect().catch(() => {})
  }

  /** Refuses a bad commit before its transaction begins. */
  async #placed(commit: Commit): Promise<readonly PartitionRecord[]> {
    checkCommitSize(commit, limitOf(this.#parts.keys))
    const { names, topics } = this.#parts
    const placed: PartitionRecord[] = []
    for (const [topic, ofTopic] of Map.groupBy(commit.outputs, (output) => output.topic)) {
      const kafkaTopic = names.topic(topic)
      const partitions = await topics.partitions(topic)
      for (const { record } of ofTopic) {
        placed.push({ ...record, kafkaTopic, partition: partitionOfRecord(record, partitions) })
      }
    }
    return placed
  }

  async #commit(commit: Commit, outputs: readonly PartitionRecord[]): Promise<void> {
    if (this.#lost.signal.aborted) throw this.#fenced('is no longer held')
    if (commit.position < this.#record.position) {
      throw new RangeError(`position ${commit.position} lies before the committed one, ${this.#record.position}`)
    }
    const { names, topics, group, topic, partition, local } = this.#parts
    const place = { kafkaTopic: names.changelog(group, topic), partition }
    const record = { ...this.#record, position: commit.position, input: this.#input.upTo(commit.position) }
    try {
      const changes = changelogRecords(place, commit.state, record)
      const leaseOffset = await this.#transact(commit.position, [...outputs, ...changes])
      const { incarnation } = record
      local.apply(commit.state, { incarnation, leaseOffset, next: leaseOffset + 1, appliedAt: Date.now() })
      this.#record = record
    } catch (error) {
      this.#lost.abort()
      local.forget()
      // If another process deleted one of them, the next owner's commit is refused before its transaction begins.
      for (const { topic: output } of commit.outputs) topics.forget(output)
      const written = [...new Set([...outputs.map(({ kafkaTopic }) => kafkaTopic), place.kafkaTopic])]
      const mapped = toLogError(
        error,
        `committing to partition ${partition} of ${topic}`,
        { operation: 'WRITE', kind: 'topic', names: written },
        { operation: 'READ', kind: 'group', names: [names.group(group, topic)] },
        { operation: 'WRITE', kind: 'transactional id', names: [names.transactionalId(group, topic, partition)] },
      )
      // The next owner of the partition would fail in the same way.
      if (isLoomlogError(mapped, 'record-too-large')) throw mapped
      if (isFencedError(error)) throw this.#fenced('has another owner', error)
      throw this.#fenced('is given up: the outcome of a commit is unknown', mapped)
    }
    crashPoint('commit.after-end')
  }

  /** Returns the offset of the last record, the lease record. */
  async #transact(position: number, records: readonly PartitionRecord[]): Promise<number> {
    const transaction: Transaction = await this.#parts.producer.transaction()
    crashPoint('commit.before-outputs')
    const offsets = new Map<PartitionRecord, number>()
    await sendRecords((batch) => transaction.sendBatch(batch), records, offsets)
    crashPoint('commit.before-position')
    const { names, group, topic, partition } = this.#parts
    const metadata = String(this.epoch)
    const offset = { partition, offset: String(position), metadata }
    await transaction.sendOffsets({
      consumerGroupId: names.group(group, topic),
      topics: [{ topic: names.topic(topic), partitions: [offset] }],
    })
    crashPoint('commit.before-end')
    await transaction.commit()
    return offsets.get(records.at(-1) as PartitionRecord) ?? 0
  }

  #fenced(what: string, cause?: unknown): LoomlogError {
    return new LoomlogError('fenced', `partition ${this.partition} of ${this.topic} at epoch ${this.epoch} ${what}`, {
      cause,
    })
  }
}
