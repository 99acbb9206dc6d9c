/**
 * Runs one processor on one partition for as long as its lease holds: reads, admits, works in lanes, releases in order, commits.
 *
 * Bounded: at most `maxInFlight` records are read and not committed, so a slow model slows the reading, and nothing is dropped.
 * Outputs, state and position go in one commit, every `lingerMs` or `maxBatch` records.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import type { Lease, LogRecord } from '@loomlog/log/port'
import type { LoomEvent } from '@loomlog/schemas/events'
import { InputHandler, type Stage } from './input.ts'
import { Overlay, stateChanges } from './overlay.ts'
import { type Entry, ReleaseQueue } from './release.ts'
import { Watermarks } from './watermarks.ts'

/** Records that are read and not yet committed, a partition. */
export const maxInFlight = 256
/** Records in one commit. */
export const maxBatch = 500
/** How long a finished record waits for others to share its commit. */
export const lingerMs = 20
const pollMs = 1_000

export async function runLease(lease: Lease, stage: Stage): Promise<void> {
  const run = new LeaseRun(lease, stage)
  await run.untilOver()
}

class LeaseRun {
  readonly #lease: Lease
  readonly #stage: Stage
  readonly #queue: ReleaseQueue
  readonly #overlay: Overlay
  readonly #handler: InputHandler
  readonly #watermarks: Watermarks
  readonly #lanes = new Map<string, Promise<void>>()
  /** Ends everything: the lease's signal, or the first failure of any part. */
  readonly #over = new AbortController()
  #failure: unknown = null
  #committedPosition: number
  #waiters: (() => void)[] = []

  constructor(lease: Lease, stage: Stage) {
    this.#lease = lease
    this.#stage = stage
    this.#queue = new ReleaseQueue(lease.position)
    this.#overlay = new Overlay(lease.state)
    this.#watermarks = new Watermarks(stage.processor.reads === 'utterances' ? 'source' : 'derived')
    this.#handler = new InputHandler({ stage, overlay: this.#overlay, signal: this.#over.signal })
    this.#committedPosition = lease.position
    lease.signal.addEventListener('abort', () => this.#end(null), { once: true })
    if (lease.signal.aborted) this.#end(null)
  }

  async untilOver(): Promise<void> {
    const ended = (error: unknown) => this.#end(error)
    await Promise.all([this.#reading().catch(ended), this.#committing().catch(ended)])
    await Promise.allSettled(this.#lanes.values())
    if (this.#failure !== null && !isLoomlogError(this.#failure, 'fenced')) throw this.#failure
  }

  #end(failure: unknown): void {
    if (this.#over.signal.aborted) return
    this.#failure = failure
    this.#over.abort()
    this.#wake()
  }

  async #reading(): Promise<void> {
    await this.#stage.book.follow(this.#lease.partition)
    while (!this.#over.signal.aborted) {
      const room = maxInFlight - this.#queue.size
      if (room <= 0) {
        await this.#nextWake()
        continue
      }
      const records = await this.#lease.poll({ maxRecords: room, maxWaitMs: pollMs })
      for (const record of records) await this.#accept(record)
    }
  }

  async #accept(record: LogRecord): Promise<void> {
    const accepted = await this.#handler.accept(record)
    if (accepted.kind === 'passed') {
      this.#queue.pass(record.offset)
      this.#watermarks.note(record.offset, accepted.event)
      return
    }
    const { entry, work } = accepted
    this.#queue.add(entry)
    this.#watermarks.note(record.offset, accepted.event)
    if (work === null) this.#finish(entry)
    else this.#enqueue(entry, accepted.lane, work)
  }

  /** A lane is a chain: each event starts when the one before it is done. */
  #enqueue(entry: Entry, lane: string, work: () => Promise<void>): void {
    const before = this.#lanes.get(lane) ?? Promise.resolve()
    const after = before.then(async () => {
      if (this.#over.signal.aborted) return
      await work()
      this.#finish(entry)
    })
    const tail = after.catch((error: unknown) => this.#end(error))
    this.#lanes.set(lane, tail)
    void tail.then(() => {
      if (this.#lanes.get(lane) === tail) this.#lanes.delete(lane)
    })
  }

  #finish(entry: Entry): void {
    this.#queue.done(entry)
    this.#wake()
  }

  /** The reading and the committing part both wait for something to finish, or for the end. */
  #nextWake(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }

  async #committing(): Promise<void> {
    while (!this.#over.signal.aborted) {
      if (this.#queue.ready === 0 && this.#queue.take(0).position === this.#committedPosition) await this.#nextWake()
      if (this.#over.signal.aborted) return
      if (this.#queue.ready < maxBatch) await sleep(lingerMs)
      await this.#commit()
      this.#wake()
    }
  }

  async #commit(): Promise<void> {
    const { batch, position } = this.#queue.take(maxBatch)
    if (batch.length === 0 && position === this.#committedPosition) return
    const watermark = this.#watermarks.at(position)
    const outputs = batch.flatMap((entry) => entry.outputs)
    if (watermark !== null) outputs.push(this.#watermarkRecord(watermark))
    crashPoint('run.before-commit')
    await this.#lease.commit({ outputs, state: stateChanges(batch.map((entry) => entry.writes)), position })
    crashPoint('run.after-commit')
    this.#committedPosition = position
    for (const entry of batch) this.#overlay.settle(entry.writes)
    this.#queue.committed(batch)
    this.#stage.onCommit({ partition: this.#lease.partition, records: batch.length, position, watermark })
  }

  #watermarkRecord(offset: number) {
    const event: LoomEvent = { type: 'WatermarkAdvanced', derivation: this.#stage.derivation, offset }
    const { partition } = this.#lease
    const record = { key: null, partition, value: this.#stage.codec.encode(event), timestamp: Date.now() }
    return { topic: this.#stage.writes, record }
  }
}
