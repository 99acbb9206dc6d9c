/**
 * Reads a lease's partition: polls records, skips those of full spaces, and gives the others to their lanes. A slow
 * model slows the reading; nothing is dropped.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { Lease, LogRecord } from '@loomlog/log/port'
import { isEvent } from '@loomlog/schemas/events'
import { withActiveSpan } from '@loomlog/telemetry/spans'
import type { ChangeSignal } from './change-signal.ts'
import { nextSlice } from './event-loop-slices.ts'
import type { DecodedRecord, InputHandler } from './input.ts'
import type { Lanes } from './lanes.ts'
import type { LeaseRunEnd } from './lease-run-end.ts'
import type { Entry, Ledger } from './ledger.ts'
import type { Stage } from './stage.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { Watermarks } from './watermarks.ts'

/** Decoding a batch of this size keeps the event loop for a few milliseconds. */
const maxPolled = 256
const pollMs = 1_000
/** Poll interval while skipped records wait. */
const pollWhileSkippedMs = 100

/** The parts that the loops of one lease share. */
export interface LeaseParts {
  readonly lease: Lease
  readonly stage: Stage
  readonly ledger: Ledger
  readonly watermarks: Watermarks
  readonly changes: ChangeSignal
  readonly end: LeaseRunEnd
}

export class ReadLoop {
  readonly #parts: LeaseParts
  readonly #handler: InputHandler
  readonly #lanes: Lanes
  /** True while the next record waits for room in its space. */
  #isBlocked = false
  /** Never true for a derived topic: more may come while the stage before this one runs. */
  #isAllRead = false
  #newest = 0

  constructor(parts: LeaseParts, handler: InputHandler, lanes: Lanes) {
    this.#parts = parts
    this.#handler = handler
    this.#lanes = lanes
  }

  /** Log time of the newest accepted record. */
  get newest(): number {
    return this.#newest
  }

  /** How many more records may be read before the next commit frees room. */
  get expected(): number {
    const { ledger, stage } = this.#parts
    return this.#isBlocked || this.#isAllRead ? 0 : ledger.room(stage.throttle.maxInFlight)
  }

  async run(): Promise<void> {
    const { lease, stage, ledger, changes, end } = this.#parts
    const { signal } = end
    await unlessAborted(stage.completions.follow(lease.partition), signal)
    while (!signal.aborted) {
      const { maxInFlight } = stage.throttle
      const maxRecords = Math.min(maxPolled, ledger.room(maxInFlight))
      if (maxRecords <= 0) {
        await changes.when(() => signal.aborted || ledger.room(stage.throttle.maxInFlight) > 0)
        continue
      }
      const target = ledger.seekTarget(maxInFlight)
      if (target !== null) lease.seek(target)
      const maxWaitMs = ledger.hasSkipped ? pollWhileSkippedMs : pollMs
      const records = await unlessAborted(lease.poll({ maxRecords, maxWaitMs }), signal)
      this.#isAllRead = stage.processor.reads.derivedFrom === null && records.length < maxRecords
      await this.#acceptAll(records)
    }
  }

  async #acceptAll(records: readonly LogRecord[]): Promise<void> {
    const { ledger, changes, end } = this.#parts
    const candidates = ledger.candidates(records)
    for (const reading of await unlessAborted(this.#handler.read(candidates), end.signal)) {
      if (!ledger.isNext(reading.record)) continue
      const isRestart = this.#isRestart(reading)
      const hasRoom = await this.#hasRoom(reading, isRestart)
      if (end.signal.aborted) return
      if (hasRoom) this.#accept(reading)
      else ledger.skip(reading.record, isRestart ? 'restart' : 'full')
    }
    ledger.endBatch(records)
    // Records that were handled before move the position as well, although nothing is accepted.
    changes.notify()
  }

  /** Whether everything before the record in its space is void: it waits until that is released. */
  #isRestart({ event }: DecodedRecord): boolean {
    return event !== null && !isLoomlogError(event) && isEvent('SubjectForgotten', event)
  }

  /** A fast space has room again soon; a slow one's record is skipped. A record that needs no work needs no room. */
  async #hasRoom({ record, event }: DecodedRecord, isRestart: boolean): Promise<boolean> {
    const { ledger, stage, changes, end } = this.#parts
    const { throttle } = stage
    const space = record.key ?? ''
    const mustWait = isRestart ? ledger.holds(space) : ledger.isFull(space, throttle.maxInFlight)
    if (event === null || !mustWait) return true
    const hasRoomAgain = () => (isRestart ? !ledger.holds(space) : ledger.hasRoomAgain(space, throttle.maxInFlight))
    this.#isBlocked = true
    await changes.until(() => end.signal.aborted || hasRoomAgain(), throttle.roomWaitMs)
    this.#isBlocked = false
    return hasRoomAgain()
  }

  #accept(reading: DecodedRecord): void {
    const { ledger, watermarks, changes } = this.#parts
    const { record } = reading
    const accepted = this.#handler.accept(reading)
    if (accepted.kind === 'passed') {
      ledger.passOver(record)
      watermarks.note(record.offset, accepted.event)
      // The position moves, so there is something to commit.
      changes.notify()
      return
    }
    const { entry } = accepted
    this.#newest = Math.max(this.#newest, record.timestamp)
    ledger.accept(entry)
    if (accepted.kind === 'finished') this.#finish(entry)
    else this.#work(entry, accepted)
  }

  #work(entry: Entry, { lane, run }: { readonly lane: string | null; readonly run: () => Promise<void> | void }): void {
    const { end } = this.#parts
    const step = () => {
      const running = withActiveSpan(entry.span, run)
      return running ? running.then(() => this.#finish(entry)) : this.#finish(entry)
    }
    // The lease may end while the work waits for its slice.
    const unlessOver = () => (end.signal.aborted ? undefined : step())
    this.#lanes.add({ space: entry.space, lane, run: () => nextSlice()?.then(unlessOver) ?? unlessOver() })
  }

  #finish(entry: Entry): void {
    this.#parts.ledger.finish(entry)
    this.#parts.changes.notify()
  }
}
