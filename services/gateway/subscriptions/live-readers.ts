/** The live readers of this process: readers of the feeds that wait for what comes, by long-poll or SSE. */
import { LoomlogError } from '@loomlog/errors'
import type { StreamSource } from './stream-source.ts'

export interface LiveReader {
  /** Unique in the process. */
  readonly id: number
  /** The caller. */
  readonly name: string
  readonly tenant: string
  /** Null: every space of the tenant. */
  readonly space: string | null
  readonly topic: string
  readonly live: string
  /** When its request came, in ms since 1970. */
  readonly since: number
  /** Messages that it was given since then. */
  readonly messages: number
  /** Whether it has all that there was at its last read. */
  readonly isUpToDate: boolean
}

export type NewReader = Pick<LiveReader, 'name' | 'tenant' | 'space' | 'topic' | 'live'>

export class LiveReaders {
  readonly #readers = new Map<number, LiveReader>()
  readonly #limit: number
  #last = 0

  /** @param limit a further reader is refused */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * The source for a reader, until it leaves.
   * @throws LoomlogError `overloaded`
   */
  admit(reader: NewReader, source: StreamSource): { readonly source: StreamSource; leave(): void } {
    const readers = this.#readers
    if (readers.size >= this.#limit)
      throw new LoomlogError(
        'overloaded',
        `${readers.size} live readers follow the feed, the limit of this process: try again later`,
      )
    const id = ++this.#last
    let own: LiveReader = { ...reader, id, since: Date.now(), messages: 0, isUpToDate: false }
    readers.set(id, own)
    return {
      source: {
        ...source,
        async read(from, signal) {
          const chunk = await source.read(from, signal)
          own = { ...own, messages: own.messages + chunk.messages.length, isUpToDate: chunk.isUpToDate }
          if (readers.has(id)) readers.set(id, own)
          return chunk
        },
      },
      leave: () => void readers.delete(id),
    }
  }

  /** In the order in which they came. */
  of(tenant: string): readonly LiveReader[] {
    return [...this.#readers.values()].filter((reader) => reader.tenant === tenant)
  }
}
