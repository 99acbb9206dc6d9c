/**
 * Sorts events into new ones and those that are in the log already. The same id with other content is a conflict, which refuses the
 * whole request of the event, and no other.
 */
import { LoomlogError } from '@loomlog/errors'
import { contentHash } from '@loomlog/schemas/admission'
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

export interface NewEvent {
  readonly event: SourceEvent
  readonly content: string
}

/** Judges the requests of one batch in their order: a later one sees the events of those before it. */
export class Duplicates {
  readonly #contentOf: (space: string, id: string) => string | null
  readonly #inBatch = new Map<string, string>()

  /** @param contentOf the content hash that an id has in the log, or null */
  constructor(contentOf: (space: string, id: string) => string | null) {
    this.#contentOf = contentOf
  }

  /** The events of a request that are in neither the log nor the batch yet. @throws IdConflict */
  newAmong(events: readonly SourceEvent[]): readonly NewEvent[] {
    const own = new Map<string, string>()
    const found = events.flatMap((event) => {
      const content = contentHash(event)
      const space = spaceKey(event.tenant, event.space)
      const key = `${space}/${event.id}`
      const before = own.get(key) ?? this.#inBatch.get(key) ?? this.#contentOf(space, event.id)
      if (before !== null && before !== content) throw new IdConflict(event)
      own.set(key, content)
      return before === null ? [{ event, content }] : []
    })
    for (const [key, content] of own) this.#inBatch.set(key, content)
    return found
  }
}
