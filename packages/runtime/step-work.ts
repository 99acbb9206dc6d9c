/**
 * Drives the step for one input: answers its asks, keeps its records in its lane, and turns its drafts into outputs. An
 * ask without an answer parks the input, and the step continues with the recorded reason. An output that is too large
 * for a record parks the input too. A state record that is too large also undoes the whole step, so that its state
 * stays consistent.
 */
import { type LogRecord, maxRecordBytes } from '@loomlog/log/port'
import type { DerivedRecord, Draft, RetryRequested, SpaceRecord } from '@loomlog/schemas/events'
import type { RecentTraces } from '@loomlog/telemetry/recent-traces'
import { drive, type StepEnvironment } from './drive.ts'
import { withEnvelopes } from './envelope.ts'
import { LaneState } from './lane-state.ts'
import type { Entry } from './ledger.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { type Overlay, stateKey } from './overlay.ts'
import { maxParkedInputBytes, parkedRecord, retrySuccessRecord } from './parking.ts'
import type { SequencedEvent } from './processor.ts'
import type { Stage } from './stage.ts'
import type { Effects } from './step.ts'

/** An unanswered input, kept for a retry. */
type ParkedInput = { readonly value: string; readonly offset: number; readonly timestamp: number; readonly seq: number }

/** An input, its record, and the number of this try. */
export interface StepInput {
  readonly record: LogRecord
  readonly event: SequencedEvent<SpaceRecord>
  readonly attempt: number
}

/** A step's unanswered asks, as reasons, and for a rollback the uncommitted writes that it replaced, by key. */
interface StepJournal {
  readonly unanswered: string[]
  before: Map<string, string | null | undefined> | null
}

/** UTF-8 takes three bytes at most for each of JavaScript's characters. */
const bytesOfACharacter = 3

interface StepWorkOptions {
  readonly stage: Stage
  readonly overlay: Overlay
  readonly signal: AbortSignal
  readonly traces: RecentTraces
  /** Log time of the last forgetting of a space (`tenant/space`); 0: there was none. */
  sinceOf(space: string): number
}

export class StepWork {
  readonly #stage: Stage
  readonly #overlay: Overlay
  readonly #signal: AbortSignal
  readonly #traces: RecentTraces
  readonly #sinceOf: StepWorkOptions['sinceOf']

  constructor(options: StepWorkOptions) {
    this.#stage = options.stage
    this.#traces = options.traces
    this.#overlay = options.overlay
    this.#signal = options.signal
    this.#sinceOf = options.sinceOf
  }

  /** Synchronous if the step asks nothing. */
  run(entry: Entry, input: StepInput): MaybePromise<void> {
    const journal: StepJournal = { unanswered: [], before: null }
    const step = this.#stepThenFinish(entry, input, journal)
    const { throttle } = this.#stage
    return drive(step, this.#environment(entry, input, journal), (part) => throttle.run(part, this.#signal))
  }

  *#stepThenFinish(entry: Entry, input: StepInput, journal: StepJournal): Effects<void> {
    const { processor, derivation, parameters } = this.#stage
    const drafts = yield* processor.step(input.event, parameters, derivation)
    this.#finish(entry, input, drafts, journal)
  }

  /**
   * Tries a parked input again, after everything before it in its space, and records a success. Does nothing if no
   * input is kept.
   */
  async retry(entry: Entry, record: LogRecord, request: RetryRequested): Promise<void> {
    const key = parkedKey(entry, request.input)
    const kept = this.#overlay.get(key) as ParkedInput | null
    if (kept === null) return
    const value = Buffer.from(kept.value, 'base64')
    const event = { ...(await this.#stage.codec.decode(value)), seq: kept.seq } as SequencedEvent<SpaceRecord>
    this.#overlay.put(entry.writes, key, null)
    const original = { ...record, value, offset: kept.offset, timestamp: kept.timestamp }
    await this.run(entry, { record: original, event, attempt: request.attempt })
    if (entry.outputs.some(({ topic }) => topic === 'parked')) return
    entry.outputs.push(retrySuccessRecord({ stage: this.#stage, record, event }, request.attempt))
  }

  /** Adds an output of this input. If it is too large for a record, the input is parked. */
  emit(entry: Entry, input: StepInput, event: SpaceRecord): void {
    const { key, timestamp } = input.record
    const value = this.#stage.codec.encode(event)
    const tooLarge = `it makes a ${event.type} of ${value.byteLength} bytes; a record holds ${maxRecordBytes}`
    if (value.byteLength > maxRecordBytes) this.#park(entry, input, 'invalid', tooLarge)
    else entry.outputs.push({ topic: this.#stage.writes, record: { key, value, timestamp } })
  }

  #finish(entry: Entry, input: StepInput, drafts: readonly Draft[], { unanswered, before }: StepJournal): void {
    const { processor, derivation } = this.#stage
    const tooLarge = before && tooLargeState(entry, before)
    if (before && tooLarge) {
      this.#overlay.undo(entry.writes, before)
      this.#park(entry, input, 'invalid', tooLarge)
      return
    }
    const events = withEnvelopes(drafts, input.event, { stage: processor.stage, derivation })
    for (const event of events) this.emit(entry, input, event)
    if (entry.span !== null) this.#traces.link(entry.span, causesOf(events), input.event.id)
    if (unanswered.length === 0) return
    this.#park(entry, input, 'unanswered', unanswered.join('; '))
    if (processor.retry === 'again') this.#keep(entry, input)
  }

  #environment(entry: Entry, { event, attempt }: StepInput, journal: StepJournal): StepEnvironment {
    const overlay = this.#overlay
    const { tenant, space } = event
    const lane = new LaneState(overlay, { space: entry.space, lane: this.#stage.processor.lane(event) })
    const asker = { tenant, space, attempt, signal: this.#signal, since: this.#sinceOf(entry.space) }
    return {
      answer: async (asks) => {
        const answers = await this.#stage.answers.answer(asks, asker)
        for (const answer of answers) if (answer.kind === 'none') journal.unanswered.push(answer.reason)
        return answers
      },
      isAskedOfModel: (task) => this.#stage.answers.isAskedOfModel(task),
      get: (record, key) => lane.get(record, key),
      put: (record, name, value) => {
        const key = lane.key(record, name)
        journal.before ??= new Map()
        if (!journal.before.has(key)) journal.before.set(key, overlay.pendingWrite(key))
        overlay.put(entry.writes, key, value)
      },
      range: (record, prefix, limit) => lane.range(record, prefix, limit),
    }
  }

  #park(entry: Entry, { record, event, attempt }: StepInput, code: 'unanswered' | 'invalid', reason: string): void {
    entry.span?.fail(code)
    entry.outputs.push(parkedRecord({ stage: this.#stage, record, event, code, reason, attempts: attempt }))
  }

  #keep(entry: Entry, { record, event }: StepInput): void {
    const { value, offset, timestamp } = record
    if (value.byteLength > maxParkedInputBytes) return
    const kept: ParkedInput = { value: Buffer.from(value).toString('base64'), offset, timestamp, seq: event.seq }
    this.#overlay.put(entry.writes, parkedKey(entry, event.id), kept)
  }
}

function causesOf(events: readonly DerivedRecord[]): ReadonlySet<string> {
  return new Set(events.flatMap(({ lineage }) => lineage.causes))
}

function tooLargeState({ writes }: Entry, before: NonNullable<StepJournal['before']>): string | null {
  for (const key of before.keys()) {
    const json = writes.get(key)
    const isSmall = (key.length + (json?.length ?? 0)) * bytesOfACharacter <= maxRecordBytes
    const bytes = isSmall ? 0 : Buffer.byteLength(key) + Buffer.byteLength(json ?? '')
    if (bytes > maxRecordBytes) return `it makes a state record of ${bytes} bytes; the limit is ${maxRecordBytes}`
  }
  return null
}

function parkedKey(entry: Entry, input: string): string {
  return stateKey('parked', entry.space, input)
}
