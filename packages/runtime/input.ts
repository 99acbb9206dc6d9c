/**
 * One input record, from bytes to a finished entry: decoded, admitted or parked, given to its lane, driven through the step.
 * What can't be decoded or admitted is parked whole and passed; an ask without an answer parks the input as well, and the step
 * goes on with the recorded reason.
 */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { LogRecord, Output } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type {
  DerivedEvent,
  LoomEvent,
  ParkCode,
  RetryRequested,
  SourceEvent,
  SpaceEvent,
} from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { AnswerBook, Answers, Asker } from './answers.ts'
import { drive, type StepEnvironment } from './drive.ts'
import { type Overlay, stateKey } from './overlay.ts'
import { parkedRecord } from './parking.ts'
import type { Processor, Sequenced } from './processor.ts'
import type { Entry } from './release.ts'
import { sealDrafts } from './seal.ts'

/** A processor under one derivation, with all that it works with in this process. */
export interface Stage {
  readonly processor: Processor
  readonly derivation: string
  /** The recipe's parameters. */
  readonly parameters: Processor['parameters']
  /** The topics it reads and writes, as they are called in the log. */
  readonly reads: string
  readonly writes: string
  readonly codec: Codec
  readonly answers: Answers
  readonly book: AnswerBook & { follow(partition: number): Promise<void> }
  onCommit(progress: {
    readonly partition: number
    readonly records: number
    readonly position: number
    readonly watermark: number | null
  }): void
}

export type Accepted =
  /** Nothing to do: a control record, or one that was done before a restart. */
  | { readonly kind: 'passed'; readonly event: LoomEvent | null }
  /** `work` drives the step; null: the entry is finished as it is. */
  | {
      readonly kind: 'entry'
      readonly entry: Entry
      readonly event: LoomEvent | null
      readonly lane: string
      readonly work: (() => Promise<void>) | null
    }

/** A space's committed place: its next seq, and the highest input offset that is done. */
type SpacePlace = { readonly seq: number; readonly through: number }
type ParkedInput = { readonly value: string; readonly offset: number; readonly timestamp: number; readonly seq: number }

export class InputHandler {
  readonly #stage: Stage
  readonly #overlay: Overlay
  readonly #signal: AbortSignal
  readonly #isSource: boolean
  readonly #places = new Map<string, SpacePlace>()

  constructor(options: { readonly stage: Stage; readonly overlay: Overlay; readonly signal: AbortSignal }) {
    this.#stage = options.stage
    this.#overlay = options.overlay
    this.#signal = options.signal
    this.#isSource = options.stage.processor.reads === 'utterances'
  }

  async accept(record: LogRecord): Promise<Accepted> {
    const space = record.key ?? ''
    const place = this.#place(space)
    if (record.offset <= place.through) return { kind: 'passed', event: null }
    const entry: Entry = { offset: record.offset, space, outputs: [], writes: new Map(), state: 'working' }
    const event = await this.#decode(record)
    if (isLoomlogError(event)) return this.#park(entry, record, 'undecodable', event.message)
    if (event.type === 'WatermarkAdvanced') return { kind: 'passed', event }
    return this.#isSource
      ? this.#acceptSource(entry, record, event as SourceEvent, place)
      : this.#acceptDerived(entry, record, event as DerivedEvent | RetryRequested, place)
  }

  async #decode(record: LogRecord): Promise<LoomEvent | LoomlogError> {
    try {
      const event = await this.#stage.codec.decode(record.value)
      const expected = topicSpec(this.#stage.processor.reads).records
      if (expected.includes(event.type)) return event
      throw new Error(`a ${event.type} does not belong in ${record.topic}`)
    } catch (error) {
      if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return error
      throw error
    }
  }

  async #acceptSource(entry: Entry, record: LogRecord, event: SourceEvent, place: SpacePlace): Promise<Accepted> {
    const seenKey = stateKey('seen', entry.space, event.id)
    const handled = [...this.#stage.processor.handles, 'RetryRequested']
    const admission = admit(event, record.key, handled, this.#overlay.get(seenKey) as string | null)
    if (admission.outcome === 'duplicate') return this.#finished(entry, event, place)
    if (admission.outcome !== 'admitted') return this.#park(entry, record, admission.outcome, admission.reason, event)
    this.#overlay.put(entry.writes, seenKey, admission.content)
    this.#setPlace(entry, { seq: place.seq + 1, through: entry.offset })
    return this.#dispatch(entry, record, { ...event, seq: place.seq })
  }

  async #acceptDerived(
    entry: Entry,
    record: LogRecord,
    event: DerivedEvent | RetryRequested,
    place: SpacePlace,
  ): Promise<Accepted> {
    this.#setPlace(entry, { ...place, through: entry.offset })
    return this.#dispatch(entry, record, event.type === 'RetryRequested' ? { ...event, seq: place.seq } : event)
  }

  async #dispatch(entry: Entry, record: LogRecord, event: Sequenced<SpaceEvent>): Promise<Accepted> {
    const { processor } = this.#stage
    if (event.type === 'RetryRequested') return this.#acceptRetry(entry, record, event)
    if (!processor.handles.includes(event.type)) return { kind: 'entry', entry, event, lane: '', work: null }
    const lane = processor.lane(event)
    const work = () => this.#work(entry, record, event, 1)
    return { kind: 'entry', entry, event, lane: stateKey(entry.space, lane), work }
  }

  async #acceptRetry(entry: Entry, record: LogRecord, event: Sequenced<RetryRequested>): Promise<Accepted> {
    const { processor, codec } = this.#stage
    if (event.stage !== processor.stage) {
      const { seq: _, ...forwarded } = event
      if (topicSpec(processor.writes).records.includes(event.type)) entry.outputs.push(this.#output(forwarded, record))
      return { kind: 'entry', entry, event, lane: '', work: null }
    }
    const key = stateKey('parked', entry.space, event.input)
    const parked = this.#overlay.get(key) as ParkedInput | null
    if (parked === null) return { kind: 'entry', entry, event, lane: '', work: null }
    const value = Buffer.from(parked.value, 'base64')
    const input = { ...(await codec.decode(value)), seq: parked.seq } as Sequenced<SpaceEvent>
    const original = { ...record, value, offset: parked.offset, timestamp: parked.timestamp }
    const work = async () => {
      this.#overlay.put(entry.writes, key, null)
      await this.#work(entry, original, input, event.attempt)
    }
    return { kind: 'entry', entry, event, lane: stateKey(entry.space, processor.lane(input)), work }
  }

  async #work(entry: Entry, record: LogRecord, event: Sequenced<SpaceEvent>, attempt: number): Promise<void> {
    const { processor, derivation, parameters } = this.#stage
    const unanswered: string[] = []
    const asker = { tenant: event.tenant, space: event.space, attempt, signal: this.#signal }
    const environment = this.#environment(entry, stateKey(entry.space, processor.lane(event)), asker, unanswered)
    const drafts = await drive(processor.step(event, parameters), environment)
    const maker = { stage: processor.stage, derivation }
    for (const output of sealDrafts(drafts, event, maker)) entry.outputs.push(this.#output(output, record))
    if (unanswered.length > 0) this.#parkUnanswered(entry, record, event, attempt, unanswered.join('; '))
  }

  #environment(entry: Entry, lane: string, asker: Asker, unanswered: string[]): StepEnvironment {
    const overlay = this.#overlay
    const prefixOf = (record: string, key: string) => stateKey('lane', lane, record, key)
    return {
      answer: async (asks) => {
        const answers = await this.#stage.answers.answer(asks, asker)
        for (const answer of answers) if (answer.none !== null) unanswered.push(answer.none)
        return answers
      },
      get: (record, key) => overlay.get(prefixOf(record, key)),
      put: (record, key, value) => overlay.put(entry.writes, prefixOf(record, key), value),
      range: (record, prefix, limit) => {
        const start = prefixOf(record, '').length
        return overlay.range(prefixOf(record, prefix), limit).map(([key, value]) => [key.slice(start), value] as const)
      },
    }
  }

  #output(event: SpaceEvent, cause: LogRecord): Output {
    const record = { key: cause.key, value: this.#stage.codec.encode(event), timestamp: cause.timestamp }
    return { topic: this.#stage.writes, record }
  }

  #park(entry: Entry, record: LogRecord, code: ParkCode, reason: string, event: SpaceEvent | null = null): Accepted {
    entry.outputs.push(parkedRecord({ stage: this.#stage, record, event, code, reason, attempts: 1 }))
    return this.#finished(entry, event, this.#place(entry.space))
  }

  #parkUnanswered(
    entry: Entry,
    record: LogRecord,
    event: Sequenced<SpaceEvent>,
    attempts: number,
    reason: string,
  ): void {
    entry.outputs.push(parkedRecord({ stage: this.#stage, record, event, code: 'unanswered', reason, attempts }))
    if (this.#stage.processor.retry === 'never') return
    const { offset, timestamp } = record
    const kept: ParkedInput = { value: Buffer.from(record.value).toString('base64'), offset, timestamp, seq: event.seq }
    this.#overlay.put(entry.writes, stateKey('parked', entry.space, event.id), kept)
  }

  #finished(entry: Entry, event: LoomEvent | null, place: SpacePlace): Accepted {
    this.#setPlace(entry, { ...place, through: entry.offset })
    return { kind: 'entry', entry, event, lane: '', work: null }
  }

  #place(space: string): SpacePlace {
    const known = this.#places.get(space)
    if (known) return known
    const kept = this.#overlay.get(stateKey('space', space)) as SpacePlace | null
    return kept ?? { seq: 0, through: -1 }
  }

  /** In memory it runs ahead with the reading; committed with the entry, it says how far the space is done. */
  #setPlace(entry: Entry, place: SpacePlace): void {
    this.#places.set(entry.space, place)
    entry.writes.set(stateKey('space', entry.space), place as unknown as Json)
  }
}
