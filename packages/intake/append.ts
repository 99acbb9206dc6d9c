/**
 * Appends source events once each. A duplicate with the same content is left out. The same id with other content is a
 * conflict: its whole request is refused before any write. If two processes append the same id at the same moment, the
 * first in the log wins: the other request is refused after its write, and the first stage parks its event.
 *
 * Group commit: requests that arrive during an append share the next one, with one read of the log's end, one append
 * and one fsync. An idle intake appends at once, without a wait for more requests. The queue is bounded: a request that
 * doesn't fit is refused whole with `overloaded`.
 */
import { setImmediate as nextSlice } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { noteLogAnswer } from '@loomlog/log/end-offsets-in-time'
import type { Position } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { sendSpan } from '@loomlog/telemetry/record-spans'
import { endSpanAfter } from '@loomlog/telemetry/spans'
import { ContentIndex, type ContentIndexOptions, indexedTopic } from './content-index.ts'
import { Duplicates, IdConflict, type KeyedEvent, type NewEvent, toKeyedEvent } from './duplicates.ts'

/** Records in one durable append. */
const appendRecords = 500
/** Largest number of queued events. An empty queue takes a request of any size. */
export const maxQueuedEvents = 10_000

export type IntakeOptions = ContentIndexOptions

export interface AppendOptions {
  /** Stops before the next durable append. Ignored if the request shares its append with others. */
  readonly signal?: AbortSignal
  /** Called after every durable append, unless the request shares its append with others. */
  onProgress?(done: number): void
}

export interface AppendCounts {
  /** Events that are newly durable. */
  readonly appended: number
  /** Events that the log already had, with the same content. */
  readonly known: number
}

interface Request {
  readonly events: readonly KeyedEvent[]
  readonly options: AppendOptions
  resolve(appended: AppendCounts): void
  reject(error: unknown): void
}

interface CheckedRequest {
  readonly request: Request
  readonly fresh: readonly NewEvent[]
}

export class Intake {
  readonly #options: IntakeOptions
  readonly #index: ContentIndex
  #waiting: Request[] = []
  #waitingEvents = 0
  #working: Promise<void> | null = null

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#index = new ContentIndex(options)
  }

  /**
   * All events are durable on return, unless the signal aborted.
   * @throws IdConflict, before any write unless another process wrote the id at the same moment; LoomlogError
   * `overloaded`, before any write; after other errors the outcome is unknown, and a retry is safe
   */
  append(events: readonly SourceEvent[], options: AppendOptions = {}): Promise<AppendCounts> {
    if (this.#waitingEvents > 0 && this.#waitingEvents + events.length > maxQueuedEvents) {
      const message = `${this.#waitingEvents} events are queued, of at most ${maxQueuedEvents}: retry later`
      return Promise.reject(new LoomlogError('overloaded', message))
    }
    const span = sendSpan(indexedTopic)
    const appended = new Promise<AppendCounts>((resolve, reject) => {
      this.#waiting.push({
        events: events.map((event) => toKeyedEvent(event, span?.traceparent)),
        options,
        resolve,
        reject,
      })
      this.#waitingEvents += events.length
      this.#working ??= this.#work()
    })
    return span === null ? appended : endSpanAfter(span, appended)
  }

  /** A position (`partition@offset`) after every acknowledged event of the space. */
  async positionIn(space: string): Promise<string> {
    return await this.#index.positionIn(space)
  }

  /** Finishes the queued requests. */
  async close(): Promise<void> {
    await this.#working
    this.#index.close()
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#appendTogether(this.#nextBatch())
      // Callers get their results in this event-loop slice, so that their next requests share an append.
      await nextSlice()
    }
    // Cleared in the same microtask as the last check of the queue, so a later request starts a new run.
    this.#working = null
  }

  /** Takes the requests that fit in one append, at least one. */
  #nextBatch(): readonly Request[] {
    let events = 0
    const beyond = this.#waiting.findIndex((request) => {
      events += request.events.length
      return events > appendRecords
    })
    const batch = this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : Math.max(1, beyond))
    for (const request of batch) this.#waitingEvents -= request.events.length
    return batch
  }

  async #appendTogether(batch: readonly Request[]): Promise<void> {
    try {
      await this.#index.catchUp(new Set(batch.flatMap(({ events }) => events.map(({ space }) => space))))
      await this.#write(this.#checked(batch))
    } catch (error) {
      this.#index.forgetEnds()
      // A record that is too large fails only its own request.
      if (batch.length === 1 || !isLoomlogError(error, 'record-too-large'))
        for (const { reject } of batch) reject(error)
      else for (const request of batch) await this.#appendTogether([request])
    }
  }

  /** Refuses the requests that conflict, and returns the others. */
  #checked(batch: readonly Request[]): readonly CheckedRequest[] {
    const duplicates = new Duplicates(
      this.#index.contentsOf(batch.flatMap(({ events }) => events.map(({ key }) => key))),
      (event) => this.#index.contentOf(event),
    )
    return batch.flatMap((request) => {
      try {
        return { request, fresh: duplicates.newAmong(request.events) }
      } catch (error) {
        request.reject(error)
        return []
      }
    })
  }

  /** Writes several requests in one append, or one large request in several. */
  async #write(batch: readonly CheckedRequest[]): Promise<void> {
    const fresh = batch.flatMap((checked) => checked.fresh)
    const { signal, onProgress } = (batch.length === 1 && batch[0]?.request.options) || {}
    const overtaken = new Map<string, NewEvent>()
    let done = 0
    while (done < fresh.length && !signal?.aborted) {
      const part = fresh.slice(done, done + appendRecords)
      for (const event of await this.#appendPart(part)) overtaken.set(event.key, event)
      done += part.length
      onProgress?.(done)
    }
    const contents = this.#index.contentsOf([...overtaken.keys()])
    const isConflict = ({ key }: KeyedEvent) => {
      const event = overtaken.get(key)
      return event !== undefined && contents.get(key) !== event.content
    }
    for (const { request, fresh } of batch) {
      // By key: a request conflicts too if its event was a duplicate that another request wrote.
      const conflicting = request.events.find(isConflict)
      const written = batch.length === 1 ? fresh.slice(0, done) : fresh
      const known = request.events.length - fresh.length
      const late = written.filter(({ key }) => overtaken.has(key)).length
      if (conflicting) request.reject(new IdConflict(conflicting.event))
      else request.resolve({ appended: written.length - late, known: known + late })
    }
  }

  /** Returns the events whose ids another process appended first, at the same moment. */
  async #appendPart(part: readonly NewEvent[]): Promise<readonly NewEvent[]> {
    const { log, codec } = this.#options
    const records = part.map(({ event, traceparent }) => recordOf(event, codec, traceparent))
    const appending = log.append(indexedTopic, records)
    // The index file is written during the append: if the log is in another process, this costs no extra time.
    const positions = await this.#index.writeWhile(appending, part.length)
    noteLogAnswer(log)
    const appended = part.map(({ key, content }, at) => ({
      key,
      content,
      record: records[at] as SourceRecord,
      position: positions[at] as Position,
    }))
    const partitions = this.#index.addAppended(appended)
    if (partitions.length === 0) return []
    const first = await this.#index.readToEnd(partitions, new Set(part.map(({ key }) => key)))
    return part.filter(({ key }, at) => (first.get(key)?.offset ?? Infinity) < (positions[at] as Position).offset)
  }
}

/** Appends one input with an `Intake` of its own. */
export async function appendOnce(
  events: readonly SourceEvent[],
  options: IntakeOptions & AppendOptions,
): Promise<AppendCounts> {
  const intake = new Intake(options)
  return await intake.append(events, options).finally(() => intake.close())
}

/** The record of a source event. */
export interface SourceRecord {
  /** `tenant/space` */
  readonly key: string
  readonly value: Uint8Array
  readonly timestamp: number
  readonly traceparent?: string
}

export function recordOf(event: SourceEvent, codec: Codec, traceparent?: string): SourceRecord {
  const record = { key: spaceKey(event.tenant, event.space), value: codec.encode(event), timestamp: event.appendedAt }
  return traceparent === undefined ? record : { ...record, traceparent }
}
