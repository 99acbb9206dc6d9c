/**
 * Runs one processor on one partition for as long as its lease holds: reads, admits, works in lanes, releases in order, commits.
 *
 * Bounded: at most so many records as its throttle allows are held, read and not committed, so a slow model slows the reading, and nothing is
 * dropped; what a slow space has beyond its part of them is read later (window.ts).
 * Outputs, state and position of what is finished go in one commit, with what finishes soon after (patience.ts); the next ones
 * are read and worked on meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import type { Lease, LogRecord } from '@loomlog/log/port'
import type { LoomEvent } from '@loomlog/schemas/events'
import { commitBatching, fullCommit, lingerMs } from './commit-batching.ts'
import { nextSlice } from './event-loop-slices.ts'
import { InputHandler, type Reading } from './input.ts'
import { Lanes } from './lanes.ts'
import { Overlay, stateChanges } from './overlay.ts'
import { type Entry, ReleaseQueue } from './release.ts'
import type { Stage } from './stage.ts'
import { unlessAborted } from './unless-aborted.ts'
import { Watermarks } from './watermarks.ts'
import { Window } from './window.ts'

/** Reading does not keep the event loop for longer than these take. */
const maxPolled = 256
const pollMs = 1_000
/** Where something was read past, it is looked after so often at least. */
const pollBehindMs = 100
/** Whoever waits for room in its space looks so often. */
const lookMs = 5

export async function runLease(lease: Lease, stage: Stage): Promise<void> {
  const run = new LeaseRun(lease, stage)
  await run.untilOver()
}

class LeaseRun {
  readonly #lease: Lease
  readonly #stage: Stage
  readonly #queue: ReleaseQueue
  readonly #window: Window
  readonly #overlay: Overlay
  readonly #handler: InputHandler
  readonly #watermarks: Watermarks
  readonly #lanes: Lanes
  /** Ends everything: the lease's signal, or the first failure of any part. */
  readonly #over = new AbortController()
  #failure: unknown = null
  #committedPosition: number
  #waiters: (() => void)[] = []
  #full = Promise.withResolvers<void>()
  /** Does the next record wait for room in its space? */
  #isHeldUp = false
  /** Is all of the source read? Of a derived topic more is to come for as long as steps run. */
  #isAllRead = false
  /** Log time of what was said last, of all that was accepted. */
  #newest = 0

  constructor(lease: Lease, stage: Stage) {
    const { signal } = this.#over
    this.#lease = lease
    this.#stage = stage
    this.#queue = new ReleaseQueue(lease.position)
    this.#window = new Window(this.#queue, lease.position)
    this.#overlay = new Overlay(lease.state)
    this.#watermarks = new Watermarks(stage.processor.reads === 'utterances' ? 'source' : 'derived')
    this.#handler = new InputHandler({ stage, overlay: this.#overlay, signal })
    this.#lanes = new Lanes(signal, (error) => this.#end(error))
    this.#committedPosition = lease.position
    lease.signal.addEventListener('abort', () => this.#end(null), { once: true })
    if (lease.signal.aborted) this.#end(null)
  }

  async untilOver(): Promise<void> {
    const ended = (error: unknown) => this.#end(error)
    await Promise.all([this.#reading().catch(ended), this.#committing().catch(ended)])
    await this.#lanes.idle()
    if (this.#failure !== null) throw this.#failure
  }

  /**
   * Only the first one counts: what fails after that fails because of it. But whoever is fenced finds its lease ended first, and
   * hears why from the commit that is refused.
   */
  #end(failure: unknown): void {
    if (this.#over.signal.aborted) {
      if (isLoomlogError(failure, 'fenced')) this.#failure ??= failure
      return
    }
    this.#failure = failure
    this.#over.abort()
    this.#full.resolve()
    this.#wake()
  }

  async #reading(): Promise<void> {
    const { signal } = this.#over
    await unlessAborted(this.#stage.book.follow(this.#lease.partition), signal)
    while (!signal.aborted) {
      const { maxInFlight } = this.#stage.throttle
      const room = Math.min(maxPolled, this.#window.room(maxInFlight))
      if (room <= 0) {
        await this.#nextWake()
        continue
      }
      const from = this.#window.turn(maxInFlight)
      if (from !== null) this.#lease.seek(from)
      const maxWaitMs = this.#window.isBehind ? pollBehindMs : pollMs
      const records = await unlessAborted(this.#lease.poll({ maxRecords: room, maxWaitMs }), signal)
      this.#isAllRead = this.#stage.processor.reads === 'utterances' && records.length < room
      await this.#acceptAll(records)
    }
  }

  async #acceptAll(records: readonly LogRecord[]): Promise<void> {
    const { signal } = this.#over
    const candidates = this.#window.candidates(records)
    for (const reading of await unlessAborted(this.#handler.read(candidates), signal)) {
      if (!this.#window.isNext(reading.record)) continue
      const hasPlace = this.#isFull(reading) ? await this.#hasRoomSoon(reading.record) : true
      if (signal.aborted) return
      if (hasPlace) this.#accept(reading)
      else this.#window.readLater(reading.record)
    }
    this.#window.readThrough(records)
  }

  /** What there is nothing to do for takes no place. */
  #isFull({ record, event }: Reading): boolean {
    return event !== null && this.#window.isFull(record.key ?? '', this.#stage.throttle.maxInFlight)
  }

  async #hasRoomSoon({ key }: LogRecord): Promise<boolean> {
    const { signal } = this.#over
    const { throttle } = this.#stage
    const hasRoom = () => this.#window.hasRoom(key ?? '', throttle.maxInFlight)
    this.#isHeldUp = true
    for (const deadline = performance.now() + throttle.roomWaitMs; !hasRoom() && performance.now() < deadline; ) {
      await sleep(lookMs)
      if (signal.aborted) break
    }
    this.#isHeldUp = false
    return hasRoom()
  }

  #accept(reading: Reading): void {
    this.#window.accepted(reading.record)
    const accepted = this.#handler.accept(reading)
    if (accepted.kind === 'passed') {
      const { offset } = reading.record
      this.#queue.pass(offset)
      this.#watermarks.note(offset, accepted.event)
      // The position has moved, though nothing was finished.
      this.#wake()
      return
    }
    const { entry } = accepted
    this.#newest = Math.max(this.#newest, reading.record.timestamp)
    this.#queue.add(entry)
    if (accepted.kind === 'finished') {
      this.#finish(entry)
      return
    }
    const work = () => {
      const done = accepted.run()
      return done ? done.then(() => this.#finish(entry)) : this.#finish(entry)
    }
    const paced = () => this.#stage.throttle.run(work, this.#over.signal)
    this.#lanes.add({ space: entry.space, lane: accepted.lane, run: () => nextSlice()?.then(paced) ?? paced() })
  }

  #finish(entry: Entry): void {
    this.#queue.done(entry)
    if (this.#queue.waiting >= fullCommit) this.#full.resolve()
    this.#wake()
  }

  /**
   * The reading and the committing part both wait for a change, or for the end. They look first and wait in the same turn, so no
   * change goes by in between.
   */
  #nextWake(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }

  async #committing(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      const { batch, position } = this.#queue.released(this.#window.floor)
      if (batch.length === 0 && position === this.#committedPosition) {
        await this.#nextWake()
        continue
      }
      await this.#linger()
      if (signal.aborted) return
      await this.#commit()
      this.#wake()
    }
  }

  async #linger(): Promise<void> {
    const { signal } = this.#over
    // Where only the position moves, nothing was said.
    const newest = this.#queue.waiting === 0 ? null : this.#newest
    const { isUrgent } = this.#stage.throttle
    const { maxWaitMs, isWorthWaiting } = commitBatching({
      newest,
      inFlight: this.#queue.size,
      isUrgent,
      now: Date.now(),
    })
    const deadline = performance.now() + maxWaitMs
    do await this.#untilFull()
    while (!signal.aborted && performance.now() < deadline && isWorthWaiting(this.#queue, this.#room))
  }

  /** How many more records may come before something is committed. */
  get #room(): number {
    return this.#isHeldUp || this.#isAllRead ? 0 : this.#window.room(this.#stage.throttle.maxInFlight)
  }

  /** Or until the time is over, or the end has come. */
  async #untilFull(): Promise<void> {
    if (this.#queue.waiting >= fullCommit || this.#over.signal.aborted) return
    this.#full = Promise.withResolvers()
    const timer = setTimeout(this.#full.resolve, lingerMs)
    await this.#full.promise
    clearTimeout(timer)
  }

  async #commit(): Promise<void> {
    const { batch, position } = this.#queue.released(this.#window.floor)
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
