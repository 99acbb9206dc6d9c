/**
 * Appends what came in, once: what stands in the log already with the same id and content is left out, and the same id with other
 * content is refused before anything is written. Of two processes that append the same id at the same moment, the log's order
 * decides, and the first stage parks the other one.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { KnownContents, topic } from './contents.ts'

/** Records in one durable append. */
const batchRecords = 500

export interface IntakeOptions {
  readonly log: Log
  readonly codec: Codec
}

export interface AppendOptions {
  /** Stops between batches. */
  readonly signal?: AbortSignal
  /** Told after every batch that is durable. */
  onProgress?(done: number): void
}

export interface Appended {
  /** Durable in the log now. */
  readonly appended: number
  /** In the log already, with the same content. */
  readonly known: number
}

export class IdConflict extends LoomlogError {
  readonly id: string
  readonly event: SourceEvent

  constructor(event: SourceEvent) {
    const { tenant, space, id } = event
    super('id-conflict', `the id ${id} is in ${tenant}/${space} already, with other content`)
    this.id = id
    this.event = event
  }
}

/** Takes one call after the other, so that of two at once the second sees what the first one wrote. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #contents: KnownContents
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#contents = new KnownContents(options)
  }

  /** All of it is durable on return, unless the signal aborted. @throws IdConflict before anything is written */
  append(events: readonly SourceEvent[], options: AppendOptions = {}): Promise<Appended> {
    const appended = this.#last.then(() => this.#append(events, options))
    this.#last = appended.catch(() => {})
    return appended
  }

  async #append(events: readonly SourceEvent[], { signal, onProgress }: AppendOptions): Promise<Appended> {
    const { log, codec } = this.#options
    await this.#contents.catchUp(events.map(spaceOf))
    const fresh = this.#fresh(events)
    let appended = 0
    while (appended < fresh.length && !signal?.aborted) {
      const batch = fresh.slice(appended, appended + batchRecords)
      await log.append(
        topic,
        batch.map((event) => recordOf(event, codec)),
      )
      appended += batch.length
      onProgress?.(appended)
    }
    return { appended, known: events.length - fresh.length }
  }

  /** Also keeps a second copy within the same input out. */
  #fresh(events: readonly SourceEvent[]): SourceEvent[] {
    const among = new Map<string, string>()
    return events.filter((event) => {
      const content = contentHash(event)
      const key = `${spaceOf(event)}/${event.id}`
      const before = this.#contents.of(spaceOf(event), event.id) ?? among.get(key)
      if (before !== undefined && before !== content) throw new IdConflict(event)
      among.set(key, content)
      return before === undefined
    })
  }
}

/** For a single input: an `Intake` that is used once. */
export function appendOnce(events: readonly SourceEvent[], options: IntakeOptions & AppendOptions): Promise<Appended> {
  return new Intake(options).append(events, options)
}

export function recordOf(event: SourceEvent, codec: Codec) {
  return { key: spaceOf(event), value: codec.encode(event), timestamp: event.appendedAt }
}

function spaceOf(event: SourceEvent): string {
  return spaceKey(event.tenant, event.space)
}
