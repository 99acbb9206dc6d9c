/**
 * Drives the step for one input: answers its asks, keeps its records in its lane, and turns what it returns into outputs. An ask
 * without an answer parks the input as well; the step has gone on with the recorded reason. So does an output that no record can
 * hold; with a state record that none can, the step has had no effect at all, so that what it keeps stays of one piece.
 */
import { type LogRecord, maxRecordBytes } from '@loomlog/log/port'
import type { Draft, RetryRequested, SpaceEvent } from '@loomlog/schemas/events'
import { drive, type StepEnvironment } from './drive.ts'
import { withEnvelopes } from './envelope.ts'
import type { Entry } from './ledger.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { type Overlay, stateKey } from './overlay.ts'
import { maxKeptBytes, parkedRecord } from './parking.ts'
import type { Sequenced } from './processor.ts'
import type { Stage } from './stage.ts'

/** An input that got no answer, kept until somebody asks for a retry. */
type ParkedInput = { readonly value: string; readonly offset: number; readonly timestamp: number; readonly seq: number }

/** An input on its way: the record it came from, and how often it has been tried with this time. */
export interface Input {
  readonly record: LogRecord
  readonly event: Sequenced<SpaceEvent>
  readonly attempt: number
}

/** What came of a step so far: asks that got no answer, and by key that it wrote, what stood there uncommitted before. */
interface Effects {
  readonly unanswered: string[]
  before: Map<string, string | null | undefined> | null
}

/** UTF-8 takes three bytes at most for each of JavaScript's characters. */
const bytesOfACharacter = 3

export class StepWork {
  readonly #stage: Stage
  readonly #overlay: Overlay
  readonly #signal: AbortSignal

  constructor(options: { readonly stage: Stage; readonly overlay: Overlay; readonly signal: AbortSignal }) {
    this.#stage = options.stage
    this.#overlay = options.overlay
    this.#signal = options.signal
  }

  /** At once where the step asks nothing. */
  run(entry: Entry, input: Input): MaybePromise<void> {
    const { processor, derivation, parameters } = this.#stage
    const effects: Effects = { unanswered: [], before: null }
    const step = processor.step(input.event, parameters, derivation)
    const drafts = drive(step, this.#environment(entry, input, effects))
    const release = (made: readonly Draft[]) => this.#release(entry, input, made, effects)
    return drafts instanceof Promise ? drafts.then(release) : release(drafts)
  }

  /** Tries a parked input again, with everything before it in its space done. Nothing to do where none is kept. */
  async retry(entry: Entry, record: LogRecord, request: RetryRequested): Promise<void> {
    const key = parkedKey(entry, request.input)
    const kept = this.#overlay.get(key) as ParkedInput | null
    if (kept === null) return
    const value = Buffer.from(kept.value, 'base64')
    const event = { ...(await this.#stage.codec.decode(value)), seq: kept.seq } as Sequenced<SpaceEvent>
    this.#overlay.put(entry.writes, key, null)
    const original = { ...record, value, offset: kept.offset, timestamp: kept.timestamp }
    await this.run(entry, { record: original, event, attempt: request.attempt })
  }

  /** An output of this input; where no record can hold it, the input is parked. */
  emit(entry: Entry, input: Input, event: SpaceEvent): void {
    const { key, timestamp } = input.record
    const value = this.#stage.codec.encode(event)
    const tooLarge = `it makes a ${event.type} of ${value.byteLength} bytes; a record holds ${maxRecordBytes}`
    if (value.byteLength > maxRecordBytes) this.#park(entry, input, 'invalid', tooLarge)
    else entry.outputs.push({ topic: this.#stage.writes, record: { key, value, timestamp } })
  }

  #release(entry: Entry, input: Input, drafts: readonly Draft[], { unanswered, before }: Effects): void {
    const { processor, derivation } = this.#stage
    const tooLarge = before && tooLargeState(entry, before)
    if (before && tooLarge) {
      this.#overlay.undo(entry.writes, before)
      this.#park(entry, input, 'invalid', tooLarge)
      return
    }
    for (const event of withEnvelopes(drafts, input.event, { stage: processor.stage, derivation }))
      this.emit(entry, input, event)
    if (unanswered.length === 0) return
    this.#park(entry, input, 'unanswered', unanswered.join('; '))
    if (processor.retry === 'again') this.#keep(entry, input)
  }

  #environment(entry: Entry, { event, attempt }: Input, effects: Effects): StepEnvironment {
    const overlay = this.#overlay
    const { tenant, space } = event
    const lane = stateKey(entry.space, this.#stage.processor.lane(event))
    const prefixes = new Map<string, string>()
    // What a record's keys have in common is put together once: a step reads hundreds of them.
    const keyOf = (record: string, key: string) => {
      const prefix = prefixes.get(record) ?? stateKey('lane', lane, record, '')
      prefixes.set(record, prefix)
      return prefix + key.toWellFormed()
    }
    return {
      answer: async (asks) => {
        const answers = await this.#stage.answers.answer(asks, { tenant, space, attempt, signal: this.#signal })
        for (const answer of answers) if (answer.none !== null) effects.unanswered.push(answer.none)
        return answers
      },
      get: (record, key) => overlay.get(keyOf(record, key)),
      put: (record, name, value) => {
        const key = keyOf(record, name)
        effects.before ??= new Map()
        if (!effects.before.has(key)) effects.before.set(key, overlay.waiting(key))
        overlay.put(entry.writes, key, value)
      },
      range: (record, prefix, limit) => {
        const start = keyOf(record, '').length
        return overlay.range(keyOf(record, prefix), limit).map(([key, value]) => [key.slice(start), value] as const)
      },
    }
  }

  #park(entry: Entry, { record, event, attempt }: Input, code: 'unanswered' | 'invalid', reason: string): void {
    entry.outputs.push(parkedRecord({ stage: this.#stage, record, event, code, reason, attempts: attempt }))
  }

  #keep(entry: Entry, { record, event }: Input): void {
    const { value, offset, timestamp } = record
    if (value.byteLength > maxKeptBytes) return
    const kept: ParkedInput = { value: Buffer.from(value).toString('base64'), offset, timestamp, seq: event.seq }
    this.#overlay.put(entry.writes, parkedKey(entry, event.id), kept)
  }
}

function tooLargeState({ writes }: Entry, before: NonNullable<Effects['before']>): string | null {
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
