/**
 * The live readers of this process: readers of the feeds that wait for what comes, by long-poll or SSE. Both connect
 * again and again, so the requests of a caller for the same stream are one subscriber, which is kept for a while after
 * the last of them.
 */
import { LoomlogError } from '@loomlog/errors'
import { hash } from '@loomlog/schemas/ids'
import type { StreamSource } from './stream-source.ts'

export interface NewReader {
  /** The caller. */
  readonly name: string
  readonly tenant: string
  /** Null: every space of the tenant. */
  readonly space: string | null
  readonly topic: string
  /** The CloudEvents types that it reads; null: every type. */
  readonly types: readonly string[] | null
  readonly live: string
}

export interface Subscriber extends NewReader {
  readonly id: string
  /** Its requests at this moment. */
  readonly connections: number
  /** Its first request, in ms since 1970. */
  readonly since: number
  /** Messages that its connections have taken since then. */
  readonly messages: number
  /** Whether its connections have all that there is, and wait. */
  readonly isUpToDate: boolean
}

/** Longer than readers stay away between two requests. */
const keptMs = 90_000

interface Entry extends NewReader {
  readonly since: number
  readonly connections: Set<{ isUpToDate: boolean }>
  messages: number
  isUpToDate: boolean
  leftAt: number
}

export class LiveReaders {
  readonly #entries = new Map<string, Entry>()
  readonly #limit: number
  readonly #now: () => number
  #connections = 0

  /** @param limit connections at once; a further one is refused. As many subscribers are kept. */
  constructor(limit: number, now = Date.now) {
    this.#limit = limit
    this.#now = now
  }

  /**
   * The source for a connection, until it leaves.
   * @throws LoomlogError `overloaded`
   */
  admit(reader: NewReader, source: StreamSource): { readonly source: StreamSource; leave(): void } {
    if (this.#connections >= this.#limit)
      throw new LoomlogError(
        'overloaded',
        `${this.#connections} live readers follow the feed, the limit of this process: try again later`,
      )
    this.#connections += 1
    const own = { isUpToDate: false }
    // Null until a read succeeds: a refused request is no subscriber.
    let entry: Entry | null = null
    let given = 0
    const joined = () => {
      entry ??= this.#entryOf(reader)
      entry.connections.add(own)
    }
    // A connection asks for more once it has taken the chunk before.
    const taken = () => {
      if (entry !== null) entry.messages += given
      given = 0
    }
    return {
      source: {
        ...source,
        async read(from, signal) {
          taken()
          const chunk = await source.read(from, signal)
          joined()
          given = chunk.messages.length
          if (given > 0) own.isUpToDate = false
          return chunk
        },
        async changed(from, maxWaitMs, signal) {
          taken()
          own.isUpToDate = true
          await source.changed(from, maxWaitMs, signal)
        },
      },
      leave: () => {
        // The reply to a long-poll is its only chunk.
        if (reader.live === 'long-poll') taken()
        this.#connections -= 1
        if (entry === null) return
        entry.connections.delete(own)
        entry.isUpToDate = own.isUpToDate
        entry.leftAt = this.#now()
      },
    }
  }

  /** Those of a tenant. */
  of(tenant: string): readonly Subscriber[] {
    this.#dropOld()
    return [...this.#entries].flatMap(([id, entry]) => (entry.tenant === tenant ? [subscriberOf(id, entry)] : []))
  }

  #entryOf(reader: NewReader): Entry {
    const { name, tenant, space, topic, types, live } = reader
    const id = hash([name, tenant, space, topic, types, live])
    const known = this.#entries.get(id)
    if (known !== undefined) return known
    this.#dropOld()
    const now = this.#now()
    const entry = { ...reader, since: now, connections: new Set<never>(), messages: 0, isUpToDate: false, leftAt: now }
    this.#entries.set(id, entry)
    return entry
  }

  /** Without those that stay away, and above the limit without the oldest ones that are away. */
  #dropOld(): void {
    const now = this.#now()
    for (const [id, { connections, leftAt }] of this.#entries) {
      const isOld = now - leftAt > keptMs || this.#entries.size > this.#limit
      if (connections.size === 0 && isOld) this.#entries.delete(id)
    }
  }
}

function subscriberOf(id: string, { connections, leftAt: _, isUpToDate, ...entry }: Entry): Subscriber {
  const all = [...connections]
  return {
    ...entry,
    id,
    connections: all.length,
    isUpToDate: all.length === 0 ? isUpToDate : all.every((each) => each.isUpToDate),
  }
}
