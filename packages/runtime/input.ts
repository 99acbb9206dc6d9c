/**
 * One input record, from bytes to a place in its space: decoded, admitted or parked, and given to its lane. What can't be decoded
 * or admitted is parked whole and passed. Records are accepted one after the other, in the partition's order, so that places are
 * counted alike whenever it is done.
 */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { LogRecord } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import type { LoomEvent, ParkCode, RetryRequested, SourceEvent, SpaceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { type TopicName, topicSpec } from '@loomlog/topics/catalogue'
import { type Overlay, stateKey } from './overlay.ts'
import { parkedRecord } from './parking.ts'
import type { Sequenced } from './processor.ts'
import type { Entry } from './release.ts'
import type { Stage } from './stage.ts'
import { outputOf, StepWork } from './step-work.ts'

export type Accepted =
  /** Nothing to do: a watermark, a record that was done before a restart, or one of a space that is not in scope. */
  | { readonly kind: 'passed'; readonly event: LoomEvent | null }
  /** The entry is finished as it is. */
  | { readonly kind: 'finished'; readonly entry: Entry }
  /** `run` finishes the entry in its turn; lane null: when everything before it in its space is done. */
  | { readonly kind: 'work'; readonly entry: Entry; readonly lane: string | null; run(): Promise<void> }

/** A space's place: its next seq, and the highest input offset that is done. */
type SpacePlace = { readonly seq: number; readonly through: number }

interface Reading {
  readonly entry: Entry
  readonly record: LogRecord
}

export class InputHandler {
  readonly #stage: Stage
  readonly #overlay: Overlay
  readonly #work: StepWork
  /** The records that may stand in the input topic. */
  readonly #expected: readonly string[]
  /** Of the source events; those that it passes on are handled by a later stage. */
  readonly #handled: readonly string[]
  readonly #isSource: boolean

  constructor(options: { readonly stage: Stage; readonly overlay: Overlay; readonly signal: AbortSignal }) {
    const { reads, handles, writes } = options.stage.processor
    this.#stage = options.stage
    this.#overlay = options.overlay
    this.#work = new StepWork(options)
    this.#expected = topicSpec(reads).records
    this.#handled = [...handles, 'RetryRequested', ...topicSpec(writes).records]
    this.#isSource = reads === 'utterances'
  }

  async accept(record: LogRecord): Promise<Accepted> {
    const isDone = record.offset <= this.#place(record.key ?? '').through
    // Watermarks have no key, and count again after a restart: what they were waiting for may not be done yet.
    if (isDone && record.key !== null) return { kind: 'passed', event: null }
    if (record.key !== null && !this.#stage.covers(record.key)) return { kind: 'passed', event: null }
    const event = await this.#decode(record)
    if (!isLoomlogError(event) && event.type === 'WatermarkAdvanced' && !this.#isSource)
      return { kind: 'passed', event }
    if (isDone) return { kind: 'passed', event: null }
    const entry: Entry = {
      offset: record.offset,
      space: record.key ?? '',
      bytes: record.value.byteLength,
      outputs: [],
      writes: new Map(),
      state: 'working',
    }
    const reading = { entry, record }
    if (isLoomlogError(event)) return this.#park(reading, 'undecodable', event.message, null)
    if (!isSpaceEvent(event) || !this.#expected.includes(event.type))
      return this.#park(reading, 'invalid', `a ${event.type} does not belong in ${record.topic}`, null)
    if (/\p{Cc}/u.test(entry.space)) return this.#park(reading, 'invalid', 'its key holds a control character', event)
    return this.#isSource ? this.#admit(reading, event as SourceEvent) : this.#acceptDerived(reading, event)
  }

  /** @throws what may be different in an hour: a registry that does not answer */
  async #decode(record: LogRecord): Promise<LoomEvent | LoomlogError> {
    try {
      return await this.#stage.codec.decode(record.value)
    } catch (error) {
      if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return error
      throw error
    }
  }

  #admit(reading: Reading, event: SourceEvent): Accepted {
    const { entry, record } = reading
    const seenKey = stateKey('seen', entry.space, event.id)
    const admission = admit(event, record.key, this.#handled, this.#overlay.get(seenKey) as string | null)
    if (admission.outcome === 'duplicate') return this.#finished(entry)
    if (admission.outcome !== 'admitted') return this.#park(reading, admission.outcome, admission.reason, event)
    this.#overlay.put(entry.writes, seenKey, admission.content)
    const { seq } = this.#place(entry.space)
    this.#setPlace(entry, { seq: seq + 1, through: entry.offset })
    return this.#dispatch(reading, { ...event, seq })
  }

  #acceptDerived(reading: Reading, event: SpaceEvent): Accepted {
    const { entry, record } = reading
    const expected = spaceKey(event.tenant, event.space)
    if (record.key !== expected)
      return this.#park(reading, 'invalid', `its key is ${record.key}, and its tenant and space say ${expected}`, event)
    const place = { ...this.#place(entry.space), through: entry.offset }
    this.#setPlace(entry, place)
    const seq = 'seq' in event ? event.seq : null
    return this.#dispatch(reading, { ...event, seq: seq ?? place.seq })
  }

  #dispatch({ entry, record }: Reading, event: Sequenced<SpaceEvent>): Accepted {
    const { processor } = this.#stage
    if (event.type === 'RetryRequested') return this.#acceptRetry({ entry, record }, event)
    if (isForwarded(event, processor.writes)) entry.outputs.push(outputOf(this.#stage, event, record))
    if (!processor.handles.includes(event.type)) return { kind: 'finished', entry }
    const run = () => this.#work.run(entry, { record, event, attempt: 1 })
    return { kind: 'work', entry, lane: processor.lane(event), run }
  }

  /** A retry for a later stage is passed on; one for this stage waits for its space, as the input may still be at work. */
  #acceptRetry({ entry, record }: Reading, event: Sequenced<RetryRequested>): Accepted {
    const { processor } = this.#stage
    if (event.stage === processor.stage) {
      return { kind: 'work', entry, lane: null, run: () => this.#work.retry(entry, record, event) }
    }
    const { seq: _, ...forwarded } = event
    if (topicSpec(processor.writes).records.includes(event.type))
      entry.outputs.push(outputOf(this.#stage, forwarded, record))
    return { kind: 'finished', entry }
  }

  #park({ entry, record }: Reading, code: ParkCode, reason: string, event: SpaceEvent | null): Accepted {
    entry.outputs.push(parkedRecord({ stage: this.#stage, record, event, code, reason, attempts: 1 }))
    return this.#finished(entry)
  }

  #finished(entry: Entry): Accepted {
    this.#setPlace(entry, { ...this.#place(entry.space), through: entry.offset })
    return { kind: 'finished', entry }
  }

  #place(space: string): SpacePlace {
    return (this.#overlay.get(stateKey('space', space)) as SpacePlace | null) ?? { seq: 0, through: -1 }
  }

  /** In the overlay it runs ahead with the reading; committed with the entry, it says how far the space is done. */
  #setPlace(entry: Entry, place: SpacePlace): void {
    this.#overlay.put(entry.writes, stateKey('space', entry.space), place)
  }
}

/** Source events that later stages need ride down the chain in the space's order, before what this stage makes of them. */
function isForwarded(event: SpaceEvent, writes: TopicName): boolean {
  return !('lineage' in event) && topicSpec(writes).records.includes(event.type)
}

function isSpaceEvent(event: LoomEvent): event is SpaceEvent {
  return 'id' in event && 'space' in event && event.space !== null && event.type !== 'InputParked'
}
