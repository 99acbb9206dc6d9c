/**
 * A lease on sqlite: hands the partition's records out once and in order, and commits outputs, state and position in
 * one transaction that first checks the ownership.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { beyondEnd } from '../beyond-end.ts'
import { crashPoint } from '../crash-points.ts'
import type { Commit, Lease, LogRecord, NewRecord, Output, StateReader } from '../port.ts'
import { checkCommitSize, limitOf } from '../record-size.ts'
import { insertRecords } from './append.ts'
import type { CommitWatch } from './commit-watch.ts'
import type { Database } from './driver.ts'
import { sqliteKeys } from './key-store.ts'
import { readRecords } from './read.ts'
import { advancePosition, type Claim, isOwner } from './shares.ts'
import { stateReader, writeState } from './state.ts'
import { endOffset, requireTopic, type Topic } from './topics.ts'

export class SqliteLease implements Lease {
  readonly topic: string
  readonly partition: number
  readonly epoch: number
  readonly position: number
  readonly state: StateReader
  readonly signal: AbortSignal
  readonly #db: Database
  readonly #watch: CommitWatch
  readonly #topic: Topic
  readonly #claim: Claim
  readonly #controller = new AbortController()
  /** The next record to hand out. */
  #next: number

  constructor(db: Database, watch: CommitWatch, topic: Topic, claim: Claim) {
    this.#db = db
    this.#watch = watch
    this.#topic = topic
    this.#claim = claim
    this.#next = claim.position
    this.topic = topic.name
    this.partition = claim.partition
    this.epoch = claim.epoch
    this.position = claim.position
    this.state = stateReader(db, claim.id)
    this.signal = this.#controller.signal
  }

  /** Asks the handler to stop. The lease keeps the partition until the handler has returned. */
  stop(): void {
    this.#controller.abort()
  }

  async poll(limits: { readonly maxRecords: number; readonly maxWaitMs: number }): Promise<readonly LogRecord[]> {
    const deadline = performance.now() + limits.maxWaitMs
    for (;;) {
      await turn()
      if (this.signal.aborted) return []
      const since = this.#watch.commits(this.#topic.id)
      const records = this.#take(limits.maxRecords)
      const leftMs = deadline - performance.now()
      if (records.length > 0 || leftMs <= 0) return records
      await this.#watch.wait(this.#db, { topic: this.#topic.id, since, maxMs: leftMs, signal: this.signal })
    }
  }

  seek(offset: number): void {
    this.#next = offset
  }

  async commit(commit: Commit): Promise<void> {
    checkCommitSize(commit, limitOf(sqliteKeys(this.#db)))
    await this.#db.write(() => this.#write(commit))
    crashPoint('commit.after-end')
  }

  #take(maxRecords: number): readonly LogRecord[] {
    const range = { partition: this.partition, from: this.#next, before: Number.MAX_SAFE_INTEGER, maxRecords }
    const records = readRecords(this.#db, this.#topic, range)
    const last = records.at(-1)
    if (last) this.#next = last.offset + 1
    else this.#requireReached()
    return records
  }

  /** An empty read means "caught up" only if the position is not beyond the end of the partition. */
  #requireReached(): void {
    const { topic, partition } = this
    const end = endOffset(this.#db, this.#topic, partition)
    if (end !== null && this.#next > end) throw beyondEnd({ topic, partition, next: this.#next, end })
  }

  #write(commit: Commit): void {
    if (!isOwner(this.#db, this.#claim)) {
      this.stop()
      throw new LoomlogError(
        'fenced',
        `partition ${this.partition} of ${this.topic} is no longer held at epoch ${this.epoch}`,
      )
    }
    crashPoint('commit.before-outputs')
    for (const [topic, records] of byTopic(commit.outputs))
      insertRecords(this.#db, requireTopic(this.#db, topic), records)
    writeState(this.#db, this.#claim.id, commit.state)
    crashPoint('commit.before-position')
    this.#advance(commit.position)
    crashPoint('commit.before-end')
  }

  #advance(position: number): void {
    if (advancePosition(this.#db, this.#claim, position)) return
    throw new RangeError(`position ${position} of ${this.topic}/${this.partition} lies before the committed one`)
  }
}

/** Each topic's records in the order given. */
function byTopic(outputs: readonly Output[]): ReadonlyMap<string, readonly NewRecord[]> {
  const topics = new Map<string, NewRecord[]>()
  for (const { topic, record } of outputs) {
    const records = topics.get(topic)
    if (records) records.push(record)
    else topics.set(topic, [record])
  }
  return topics
}
