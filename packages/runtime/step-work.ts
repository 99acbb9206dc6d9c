/**
 * Drives the step for one input: answers its asks, keeps its records in its lane, and turns what it returns into outputs. An ask
 * without an answer parks the input as well; the step has gone on with the recorded reason.
 */
import { type LogRecord, maxRecordBytes, type Output } from '@loomlog/log/port'
import type { Draft, RetryRequested, SpaceEvent } from '@loomlog/schemas/events'
import { drive, type StepEnvironment } from './drive.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { type Overlay, stateKey } from './overlay.ts'
import { maxParkedBytes, parkedRecord } from './parking.ts'
import type { Sequenced } from './processor.ts'
import type { Entry } from './release.ts'
import { sealDrafts } from './seal.ts'
import type { Stage } from './stage.ts'

/** An input that got no answer, kept until somebody asks for a retry. */
type ParkedInput = { readonly value: string; readonly offset: number; readonly timestamp: number; readonly seq: number }

/** An input on its way: the record it came from, and how often it has been tried with this time. */
export interface Input {
  readonly record: LogRecord
  readonly event: Sequenced<SpaceEvent>
  readonly attempt: number
}

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
    const unanswered: string[] = []
    const step = processor.step(input.event, parameters, derivation)
    const drafts = drive(step, this.#environment(entry, input, unanswered))
    const release = (made: readonly Draft[]) => this.#release(entry, input, made, unanswered)
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

  #release(entry: Entry, input: Input, drafts: readonly Draft[], unanswered: readonly string[]): void {
    const { processor, derivation } = this.#stage
    for (const event of sealDrafts(drafts, input.event, { stage: processor.stage, derivation })) {
      const output = outputOf(this.#stage, event, input.record)
      const bytes = output.record.value.byteLength
      const tooLarge = `it makes a ${event.type} of ${bytes} bytes; a record holds ${maxRecordBytes}`
      if (bytes > maxRecordBytes) this.#park(entry, input, 'invalid', tooLarge)
      else entry.outputs.push(output)
    }
    if (unanswered.length === 0) return
    this.#park(entry, input, 'unanswered', unanswered.join('; '))
    if (processor.retry === 'again') this.#keep(entry, input)
  }

  #environment(entry: Entry, { event, attempt }: Input, unanswered: string[]): StepEnvironment {
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
        for (const answer of answers) if (answer.none !== null) unanswered.push(answer.none)
        return answers
      },
      get: (record, key) => overlay.get(keyOf(record, key)),
      put: (record, key, value) => overlay.put(entry.writes, keyOf(record, key), value),
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
    if (value.byteLength > maxParkedBytes) return
    const kept: ParkedInput = { value: Buffer.from(value).toString('base64'), offset, timestamp, seq: event.seq }
    this.#overlay.put(entry.writes, parkedKey(entry, event.id), kept)
  }
}

export function outputOf(stage: Stage, event: SpaceEvent, cause: LogRecord): Output {
  const record = { key: cause.key, value: stage.codec.encode(event), timestamp: cause.timestamp }
  return { topic: stage.writes, record }
}

function parkedKey(entry: Entry, input: string): string {
  return stateKey('parked', entry.space, input)
}
