/**
 * Admission: decodes an input record, gives its event a seq in its space, and hands it to its lane. A record that can't
 * be decoded or admitted is parked whole. Records are accepted one after the other, in the partition's order, so that a
 * replay counts the same seqs.
 */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { misplacementOf } from '@loomlog/log/partition'
import type { LogRecord } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import {
  isEvent,
  type LogEvent,
  type ParkCode,
  type RetryRequested,
  type SourceEvent,
  type SpaceRecord,
  type SubjectForgotten,
} from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { RecentTraces } from '@loomlog/telemetry/recent-traces'
import { processSpan, type RecordConsumer } from '@loomlog/telemetry/record-spans'
import { withActiveSpan } from '@loomlog/telemetry/spans'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import { AsksAhead } from './asks-ahead.ts'
import type { Entry } from './ledger.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { Overlay } from './overlay.ts'
import { parkedRecord } from './parking.ts'
import type { SequencedEvent } from './processor.ts'
import { KeysBySpace, type SpaceKeys, type SpacePosition } from './space-keys.ts'
import { groupOf, type Stage } from './stage.ts'
import { StepWork } from './step-work.ts'

/** Intake accepts shorter ids only, but other writers may append to the log too. */
const maxIdCharacters = 4_096

export type AcceptResult =
  /** No work: a watermark, a record that was done before a restart, or one of a space outside the recipe. */
  | { readonly kind: 'passed'; readonly event: LogEvent | null }
  /** The entry is finished as it is. */
  | { readonly kind: 'finished'; readonly entry: Entry }
  /** `run` finishes the entry in its turn; lane null: when everything before it in its space is done. */
  | { readonly kind: 'work'; readonly entry: Entry; readonly lane: string | null; run(): MaybePromise<void> }

/** A record with its event, or with the error of decoding it; null: there is nothing to do. */
export interface DecodedRecord {
  readonly record: LogRecord
  readonly event: LogEvent | LoomlogError | null
}

interface InputRecord {
  readonly entry: Entry
  readonly record: LogRecord
  readonly keys: SpaceKeys
}

export class InputHandler {
  readonly #stage: Stage
  readonly #overlay: Overlay
  readonly #work: StepWork
  readonly #asksAhead: AsksAhead
  readonly #keys = new KeysBySpace()
  readonly #traces = new RecentTraces()
  /** The record types of the input topic. */
  readonly #expected: readonly string[]
  /** Source event types that this stage handles or passes on. Events of other types are parked. */
  readonly #handled: readonly string[]
  readonly #isSource: boolean

  constructor(options: { readonly stage: Stage; readonly overlay: Overlay; readonly signal: AbortSignal }) {
    const { reads, handles, writes } = options.stage.processor
    this.#stage = options.stage
    this.#overlay = options.overlay
    const sinceOf = (space: string) => this.#place(this.#keys.of(space)).since ?? 0
    this.#work = new StepWork({ ...options, sinceOf, traces: this.#traces })
    this.#asksAhead = new AsksAhead({ ...options, sinceOf })
    this.#expected = [...reads.records, 'SubjectForgotten']
    this.#handled = [...handles, 'RetryRequested', ...writes.records]
    this.#isSource = reads.derivedFrom === null
  }

  /**
   * Decodes records, and prefetches the state that admission needs.
   * @throws temporary errors, such as a registry that is away
   */
  async read(records: readonly LogRecord[]): Promise<readonly DecodedRecord[]> {
    const wanted = records.map((record) => this.#isWanted(record))
    const decoded = await this.#stage.codec.decodeEach(records.filter((_, at) => wanted[at]).map(({ value }) => value))
    const events = decoded.values()
    const read = records.map((record, at) => ({ record, event: (wanted[at] && events.next().value) || null }))
    if (this.#isSource) this.#overlay.prefetch(read.flatMap((reading) => this.#seenKeys(reading)))
    return read
  }

  /** Called once a record, in the order of the partition. */
  accept({ record, event }: DecodedRecord): AcceptResult {
    if (event === null) return { kind: 'passed', event: null }
    const keys = this.#keys.of(record.key ?? '')
    if (!isLoomlogError(event) && event.type === 'WatermarkAdvanced' && !this.#isSource)
      return { kind: 'passed', event }
    if (this.#isDone(record)) return { kind: 'passed', event: null }
    const entry: Entry = {
      offset: record.offset,
      space: record.key ?? '',
      bytes: record.value.byteLength,
      outputs: [],
      writes: new Map(),
      span: record.traceparent === undefined ? null : processSpan(record, consumerOf(this.#stage)),
      state: 'working',
    }
    const incoming = { entry, record, keys }
    if (isLoomlogError(event)) return this.#park(incoming, 'undecodable', event.message, null)
    if (!isSpaceEvent(event) || !this.#expected.includes(event.type))
      return this.#park(incoming, 'invalid', `a ${event.type} does not belong in ${record.topic}`, null)
    const wrong = keys.wrong ?? longName(event) ?? misplacementOf(record, this.#stage.partitions)
    if (wrong !== null) return this.#park(incoming, 'invalid', wrong, event)
    if (isEvent('SubjectForgotten', event)) return this.#restart(incoming, event)
    return this.#isSource ? this.#admit(incoming, event as SourceEvent) : this.#acceptDerived(incoming, event)
  }

  /** A record without a key is always decoded: it may be a watermark, which a restart needs again. */
  #isWanted(record: LogRecord): boolean {
    return record.key === null || (!this.#isDone(record) && this.#stage.covers(record.key))
  }

  #isDone(record: LogRecord): boolean {
    return record.offset <= this.#place(this.#keys.of(record.key ?? '')).through
  }

  #seenKeys({ record, event }: DecodedRecord): readonly string[] {
    if (event === null || isLoomlogError(event) || !isSpaceEvent(event)) return []
    return [this.#keys.of(record.key ?? '').seen(event.id)]
  }

  /**
   * Everything before this record in its space is void. Its state is dropped and the marker passed on in one commit.
   * The read loop has held the record until everything before it was released.
   */
  #restart(incoming: InputRecord, event: SubjectForgotten): AcceptResult {
    const { entry, record, keys } = incoming
    const wrong = misnamed(event, record)
    if (wrong !== null) return this.#park(incoming, 'invalid', wrong, event)
    for (const prefix of keys.prefixes) this.#overlay.deleteAll(entry.writes, prefix)
    const marker = { ...event, seq: 0 }
    this.#work.emit(entry, { record, event: marker, attempt: 1 }, marker)
    this.#setPlace(incoming, { seq: this.#isSource ? 1 : 0, through: entry.offset, since: event.appendedAt })
    return { kind: 'finished', entry }
  }

  #admit(incoming: InputRecord, event: SourceEvent): AcceptResult {
    const { entry, record, keys } = incoming
    const seenKey = keys.seen(event.id)
    const admission = admit(event, record.key, this.#handled, this.#overlay.get(seenKey) as string | null)
    if (admission.outcome === 'duplicate') return this.#finished(incoming)
    if (admission.outcome !== 'admitted') return this.#park(incoming, admission.outcome, admission.reason, event)
    this.#overlay.put(entry.writes, seenKey, admission.content)
    const place = this.#place(keys)
    const { seq } = place
    this.#setPlace(incoming, { ...place, seq: seq + 1, through: entry.offset })
    return this.#dispatch(incoming, { ...event, seq })
  }

  #acceptDerived(incoming: InputRecord, event: SpaceRecord): AcceptResult {
    const { entry, record, keys } = incoming
    const wrong = misnamed(event, record)
    if (wrong !== null) return this.#park(incoming, 'invalid', wrong, event)
    const place = { ...this.#place(keys), through: entry.offset }
    this.#setPlace(incoming, place)
    const seq = 'seq' in event ? event.seq : null
    return this.#dispatch(incoming, { ...event, seq: seq ?? place.seq })
  }

  #dispatch({ entry, record }: InputRecord, event: SequencedEvent<SpaceRecord>): AcceptResult {
    const { processor } = this.#stage
    if (entry.span !== null) this.#traces.note(event.id, record.traceparent)
    if (isEvent('RetryRequested', event)) return this.#acceptRetry(entry, record, event)
    if (isForwarded(event, processor.writes)) this.#work.emit(entry, { record, event, attempt: 1 }, event)
    if (!processor.handles.includes(event.type)) return { kind: 'finished', entry }
    const lane = processor.lane(event)
    const step = () => this.#work.run(entry, { record, event, attempt: 1 })
    const run = withActiveSpan(entry.span, () => this.#asksAhead.accept({ space: entry.space, lane, event }, step))
    return { kind: 'work', entry, lane, run }
  }

  /**
   * A retry for a later stage is passed on; one for this stage waits for its space, as the input may still be at work.
   */
  #acceptRetry(entry: Entry, record: LogRecord, event: SequencedEvent<RetryRequested>): AcceptResult {
    const { processor } = this.#stage
    if (event.stage === processor.stage) {
      const retry = () => this.#work.retry(entry, record, event)
      return { kind: 'work', entry, lane: null, run: this.#asksAhead.acceptForSpace(entry.space, retry) }
    }
    const { seq: _, ...forwarded } = event
    if (processor.writes.records.includes(event.type)) this.#work.emit(entry, { record, event, attempt: 1 }, forwarded)
    return { kind: 'finished', entry }
  }

  #park(incoming: InputRecord, code: ParkCode, reason: string, event: SpaceRecord | null): AcceptResult {
    const { entry, record } = incoming
    entry.span?.fail(code)
    entry.outputs.push(parkedRecord({ stage: this.#stage, record, event, code, reason, attempts: 1 }))
    return this.#finished(incoming)
  }

  #finished(incoming: InputRecord): AcceptResult {
    const { entry, keys } = incoming
    this.#setPlace(incoming, { ...this.#place(keys), through: entry.offset })
    return { kind: 'finished', entry }
  }

  #place(keys: SpaceKeys): SpacePosition {
    keys.place ??= (this.#overlay.get(keys.placeKey) as SpacePosition | null) ?? { seq: 0, through: -1 }
    return keys.place
  }

  /** The overlay's copy runs ahead with the reading; the committed copy says how far the space is done. */
  #setPlace({ entry, keys }: InputRecord, place: SpacePosition): void {
    keys.place = place
    this.#overlay.put(entry.writes, keys.placeKey, place)
  }
}

function consumerOf({ processor, derivation, throttle }: Stage): RecordConsumer {
  const { stage } = processor
  return { name: stage, group: groupOf(stage, derivation), isLive: throttle.isLive }
}

/**
 * Passes source events that later stages need down the chain, in the space's order and before this stage's outputs for
 * them.
 */
export function isForwarded(event: SpaceRecord, writes: TopicSpec): boolean {
  return !('lineage' in event) && writes.records.includes(event.type)
}

/** Why the record's key is not the event's space; null: it is. */
function misnamed({ tenant, space }: SpaceRecord, { key }: LogRecord): string | null {
  const expected = spaceKey(tenant, space)
  return key === expected ? null : `its key is ${key}, and its tenant and space say ${expected}`
}

/** Ids are part of state keys and of parked records. */
function longName({ id }: SpaceRecord): string | null {
  const isLong = id.length > maxIdCharacters
  return isLong ? `its id has ${id.length} characters; ${maxIdCharacters} are the most` : null
}

function isSpaceEvent(event: LogEvent): event is SpaceRecord {
  return 'id' in event && 'space' in event && event.space !== null && event.type !== 'InputParked'
}
