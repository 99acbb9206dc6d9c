/**
 * Appends source events, once each: an event that is in the log already with the same content is left out, and the same id with other
 * content is refused before anything of its request is written. Of two processes that append the same id at the same moment, the
 * log's order decides, and the first stage parks the other one.
 *
 * Group commit: requests that come while an append is under way share the next one, and so one look at the log's end, one append and
 * one fsync. The queue is bounded: a request that finds it full is refused with `overloaded`, and nothing of it is written.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { ContentIndex, type ContentIndexOptions, topic } from './content-index.ts'
import { Duplicates, type NewEvent } from './duplicates.ts'

/** Records in one durable append. */
const batchRecords = 500
/** Events that may wait for their append. A request that finds the queue empty is taken however large it is. */
export const maxQueuedEvents = 10_000
/** How long a batch waits for others while requests come side by side, in ms. A request that comes alone does not wait. */
const lingerMs = 2

export type IntakeOptions = ContentIndexOptions

export interface AppendOptions {
  /** Stops between batches; a request that still waits is not begun. */
  readonly signal?: AbortSignal
  /** Called after every batch that is durable. */
  onProgress?(done: number): void
}

export interface Appended {
  /** Durable in the log now. */
  readonly appended: number
  /** In the log already, with the same content. */
  readonly known: number
}

interface Request {
  readonly events: readonly SourceEvent[]
  readonly options: AppendOptions
  resolve(appended: Appended): void
  reject(error: unknown): void
}

interface Checked {
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
   * All of it is durable on return, unless the signal aborted.
   * @throws IdConflict, and LoomlogError `overloaded`, before anything is written; after other errors the outcome is unknown, and
   * appending the same again is safe
   */
  append(events: readonly SourceEvent[], options: AppendOptions = {}): Promise<Appended> {
    if (this.#waitingEvents > 0 && this.#waitingEvents + events.length > maxQueuedEvents) {
      const message = `${this.#waitingEvents} events wait to be appended, of at most ${maxQueuedEvents}: send it again later`
      return Promise.reject(new LoomlogError('overloaded', message))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, options, resolve, reject })
      this.#waitingEvents += events.length
      this.#working ??= this.#work()
    })
  }

  /** A position (`partition@offset`) that everything acknowledged of the space stands below. */
  async positionIn(space: string): Promise<string> {
    return await this.#index.positionIn(space)
  }

  /** Finishes what waits. */
  async close(): Promise<void> {
    await this.#working
    this.#index.close()
  }

  async #work(): Promise<void> {
    for (let together = 1; this.#waiting.length > 0; ) {
      if (together > 1) await sleep(lingerMs)
      const batch = this.#taken()
      together = batch.length
      await this.#appendTogether(batch)
    }
    // In the same turn as the last look at the queue: a later request starts anew.
    this.#working = null
  }

  /** As many requests as fit in one append, and one at least. */
  #taken(): readonly Request[] {
    let events = 0
    const beyond = this.#waiting.findIndex((request) => {
      events += request.events.length
      return events > batchRecords
    })
    const batch = this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : Math.max(1, beyond))
    for (const request of batch) this.#waitingEvents -= request.events.length
    return batch
  }

  async #appendTogether(batch: readonly Request[]): Promise<void> {
    try {
      await this.#index.catchUp(batch.flatMap(({ events }) => events.map(spaceOf)))
      await this.#write(this.#checked(batch))
    } catch (error) {
      // One record that is too large keeps no other request's out.
      if (batch.length === 1 || !isLoomlogError(error, 'record-too-large'))
        for (const { reject } of batch) reject(error)
      else for (const request of batch) await this.#appendTogether([request])
    }
  }

  /** Without the requests that conflict: they are refused. */
  #checked(batch: readonly Request[]): readonly Checked[] {
    const duplicates = new Duplicates((space, id) => this.#index.contentOf(space, id))
    return batch.flatMap((request) => {
      try {
        return { request, fresh: duplicates.newAmong(request.events) }
      } catch (error) {
        request.reject(error)
        return []
      }
    })
  }

  /** Several requests go into one append; a large one takes several. */
  async #write(batch: readonly Checked[]): Promise<void> {
    const fresh = batch.flatMap((checked) => checked.fresh)
    const { signal, onProgress } = (batch.length === 1 && batch[0]?.request.options) || {}
    let appended = 0
    while (appended < fresh.length && !signal?.aborted) {
      const part = fresh.slice(appended, appended + batchRecords)
      await this.#appendPart(part)
      appended += part.length
      onProgress?.(appended)
    }
    for (const { request, fresh } of batch) {
      request.resolve({
        appended: batch.length === 1 ? appended : fresh.length,
        known: request.events.length - fresh.length,
      })
    }
  }

  async #appendPart(part: readonly NewEvent[]): Promise<void> {
    const { log, codec } = this.#options
    const records = part.map(({ event }) => recordOf(event, codec))
    const positions = await log.append(topic, records)
    this.#index.keep(
      positions.map((position, at) => ({ ...(part[at] as NewEvent), record: records[at] as SourceRecord, position })),
    )
  }
}

/** For a single input: an `Intake` that is used once. */
export async function appendOnce(
  events: readonly SourceEvent[],
  options: IntakeOptions & AppendOptions,
): Promise<Appended> {
  const intake = new Intake(options)
  return await intake.append(events, options).finally(() => intake.close())
}

/** The record of a source event. */
export interface SourceRecord {
  /** `tenant/space` */
  readonly key: string
  readonly value: Uint8Array
  readonly timestamp: number
}

export function recordOf(event: SourceEvent, codec: Codec): SourceRecord {
  return { key: spaceOf(event), value: codec.encode(event), timestamp: event.appendedAt }
}

function spaceOf(event: SourceEvent): string {
  return spaceKey(event.tenant, event.space)
}
