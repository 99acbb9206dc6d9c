/**
 * Sorts events into new ones and those that are in the log already. The same id with other content is a conflict, which
 * refuses the whole request of the event, and no other.
 */
import { LoomlogError } from '@loomlog/errors'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'

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

/** An event with its space and the key of its id in the index. */
export interface KeyedEvent {
  readonly event: SourceEvent
  /** `tenant/space` */
  readonly space: string
  readonly key: string
  /** The trace of its request. */
  readonly traceparent?: string
}

export interface NewEvent extends KeyedEvent {
  readonly content: string
}

/** Tenant and space hold no slash, so that no two ids share a key. Well-formed, as SQLite stores it. */
export function toKeyedEvent(event: SourceEvent, traceparent?: string): KeyedEvent {
  const space = spaceKey(event.tenant, event.space)
  return { event, space, key: `${space}/${event.id}`.toWellFormed(), ...(traceparent && { traceparent }) }
}

/**
 * Whether an id that was first seen with one content hash has another content now. A pause is named after its
 * utterance: it is the same one at another time, which it takes from an utterance without a time of its own.
 */
export function isConflict(
  event: SourceEvent,
  { before, content }: { readonly before: string; readonly content: string },
): boolean {
  const isPause = event.type === 'ConversationPaused' || event.type === 'SpacePaused'
  return !isPause && before !== content
}

/** Judges the requests of one batch in their order: a later one sees the events of those before it. */
export class Duplicates {
  readonly #inLog: ReadonlyMap<string, string>
  readonly #contentOf: (event: KeyedEvent) => string
  readonly #inBatch = new Map<string, string>()

  /** @param inLog the contents of the ids that are in the log, by key, as `contentOf` gives them */
  constructor(inLog: ReadonlyMap<string, string>, contentOf: (event: KeyedEvent) => string) {
    this.#inLog = inLog
    this.#contentOf = contentOf
  }

  /** The events of a request that are in neither the log nor the batch yet. @throws IdConflict */
  newAmong(events: readonly KeyedEvent[]): readonly NewEvent[] {
    const found: NewEvent[] = []
    try {
      for (const keyedEvent of events) {
        const { event, key } = keyedEvent
        const content = this.#contentOf(keyedEvent)
        const before = this.#inBatch.get(key) ?? this.#inLog.get(key) ?? null
        if (before !== null && isConflict(event, { before, content })) throw new IdConflict(event)
        if (before !== null) continue
        this.#inBatch.set(key, content)
        found.push({ ...keyedEvent, content })
      }
      return found
    } catch (error) {
      // The request is refused whole, so later ones don't see its events.
      for (const refused of found) this.#inBatch.delete(refused.key)
      throw error
    }
  }
}
