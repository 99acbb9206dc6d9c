/**
 * Issues the asks that a processor's look-ahead names, for the records of one lease.
 *
 * A1. Only the step uses an answer. It joins the ask that was issued ahead, so no ask is paid for twice.
 * A2. A record is done once its asks ahead are recorded.
 * A3. A piece of work for the whole space (a retry) may change the keyed records of any lane. Until it is done and a
 *     lane is idle again, nothing is asked ahead in that lane.
 * A4. Answers are held for records in flight only, so the ledger's limits bound their number. When the lease ends, all
 * are released: work
 *     that has not started never does.
 * A5. Without a model nothing is asked ahead: rules would only run twice.
 */
import type { SpaceRecord } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { AskAhead, Asker } from './answers.ts'
import { drive, type StepEnvironment } from './drive.ts'
import { LaneState } from './lane-state.ts'
import { type MaybePromise, thenAlways } from './maybe-promise.ts'
import type { Overlay } from './overlay.ts'
import type { LookAhead, SequencedEvent } from './processor.ts'
import type { Stage } from './stage.ts'

type Run = () => MaybePromise<void>
/** Null: unknown until the lane is idle. */
type Carry = { readonly value: unknown } | null

interface Lane {
  /** Its records in flight. */
  inFlight: number
  /** The carry after these records. */
  carry: Carry
}

interface Space {
  readonly lanes: Map<string, Lane>
  /** Unfinished pieces of work for the whole space. */
  pending: number
}

export interface AcceptedEvent {
  readonly space: string
  readonly lane: string
  readonly event: SequencedEvent<SpaceRecord>
}

interface AsksAheadOptions {
  readonly stage: Stage
  readonly overlay: Overlay
  readonly signal: AbortSignal
  /** Log time of the last forgetting of a space (`tenant/space`); 0: there was none. */
  sinceOf(space: string): number
}

export class AsksAhead {
  readonly #stage: Stage
  readonly #overlay: Overlay
  readonly #signal: AbortSignal
  readonly #lookAhead: LookAhead | null
  readonly #spaces = new Map<string, Space>()
  /** Asks that are issued and not released. */
  readonly #held = new Set<AskAhead>()
  readonly #sinceOf: AsksAheadOptions['sinceOf']

  constructor(options: AsksAheadOptions) {
    this.#sinceOf = options.sinceOf
    this.#stage = options.stage
    this.#overlay = options.overlay
    this.#signal = options.signal
    this.#signal.addEventListener('abort', () => this.#release([...this.#held]), { once: true })
    const { processor, answers } = options.stage
    this.#lookAhead = answers.hasModel ? (processor.lookAhead ?? null) : null
  }

  /** Issues the record's asks. @returns its work, which ends once they are recorded too */
  accept(arrival: AcceptedEvent, run: Run): Run {
    const lookAhead = this.#lookAhead
    if (lookAhead === null) return run
    const space = this.#space(arrival.space)
    const lane = space.lanes.get(arrival.lane) ?? this.#open(space, arrival, lookAhead)
    lane.inFlight += 1
    const issued = this.#issue(lane, lookAhead, arrival.event)
    const leave = () => {
      this.#release(issued)
      lane.inFlight -= 1
      if (lane.inFlight === 0) space.lanes.delete(arrival.lane)
      this.#forget(arrival.space, space)
    }
    return () => thenAlways(() => untilRecorded(run(), issued), leave)
  }

  /** A piece of work for the whole space. */
  acceptForSpace(name: string, run: Run): Run {
    if (this.#lookAhead === null) return run
    const space = this.#space(name)
    space.pending += 1
    for (const lane of space.lanes.values()) lane.carry = null
    const leave = () => {
      space.pending -= 1
      this.#forget(name, space)
    }
    return () => thenAlways(run, leave)
  }

  /** Releases each ask once. */
  #release(asks: readonly AskAhead[]): void {
    for (const ask of asks) if (this.#held.delete(ask)) ask.release()
  }

  #space(name: string): Space {
    const space = this.#spaces.get(name) ?? { lanes: new Map(), pending: 0 }
    this.#spaces.set(name, space)
    return space
  }

  #forget(name: string, { lanes, pending }: Space): void {
    if (lanes.size === 0 && pending === 0) this.#spaces.delete(name)
  }

  /** No record of the lane is in flight, so its keyed records are those that its next step will read. */
  #open(space: Space, { space: name, lane: of }: AcceptedEvent, lookAhead: LookAhead): Lane {
    const lane: Lane = { inFlight: 0, carry: null }
    space.lanes.set(of, lane)
    if (space.pending === 0) {
      const environment = readOnly(new LaneState(this.#overlay, { space: name, lane: of }))
      lane.carry = { value: drive(lookAhead.start(), environment) }
    }
    return lane
  }

  #issue(lane: Lane, lookAhead: LookAhead, event: AcceptedEvent['event']): readonly AskAhead[] {
    if (lane.carry === null) return []
    const { answers, parameters } = this.#stage
    const ahead = lookAhead.next(lane.carry.value, event, parameters)
    lane.carry = ahead && { value: ahead.carry }
    const { tenant, space } = event
    const since = this.#sinceOf(spaceKey(tenant, space))
    const asker: Asker = { tenant, space, attempt: 1, signal: this.#signal, since }
    const issued = (ahead?.asks ?? []).map((ask) => answers.askAhead(ask, asker)).filter((ask) => ask !== null)
    for (const ask of issued) this.#held.add(ask)
    if (this.#signal.aborted) this.#release(issued)
    return issued
  }
}

function untilRecorded(running: MaybePromise<void>, issued: readonly AskAhead[]): MaybePromise<void> {
  if (!running && issued.length === 0) return
  return Promise.resolve(running)
    .then(() => Promise.all(issued.map(({ recorded }) => recorded)))
    .then(() => {})
}

function readOnly(lane: LaneState): StepEnvironment {
  const refuse = (): never => {
    throw new Error('the start of a look-ahead reads records, and neither writes nor asks')
  }
  return {
    answer: refuse,
    isAskedOfModel: refuse,
    put: refuse,
    get: (record, key) => lane.get(record, key),
    range: (record, prefix, limit) => lane.range(record, prefix, limit),
  }
}
