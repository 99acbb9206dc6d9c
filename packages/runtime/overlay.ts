/**
 * Keyed state as a step sees it: what is committed, with what this lease has written since laid over it. A write is visible at
 * once to its lane's next events, and leaves the overlay when the commit that carries it is known. Keys are made of space, lane,
 * record and key, so lanes can't touch each other's records.
 */
import type { StateChange, StateReader } from '@loomlog/log/port'
import type { Json } from '@loomlog/schemas/ids'

const separator = '\u001f'

/** A key of committed state. The parts come from ids and names, none of which may hold a control character. */
export function stateKey(...parts: readonly string[]): string {
  return parts.join(separator)
}

/** One event's writes, by state key. */
export type Writes = Map<string, Json | null>

interface Pending {
  readonly value: Json | null
  readonly writes: Writes
}

export class Overlay {
  readonly #committed: StateReader
  readonly #pending = new Map<string, Pending>()

  constructor(committed: StateReader) {
    this.#committed = committed
  }

  get(key: string): Json | null {
    const pending = this.#pending.get(key)
    if (pending) return pending.value
    const bytes = this.#committed.get(key)
    return bytes === null ? null : decodeState(bytes)
  }

  put(writes: Writes, key: string, value: Json | null): void {
    writes.set(key, value)
    this.#pending.set(key, { value, writes })
  }

  range(prefix: string, limit: number): (readonly [key: string, value: Json])[] {
    const laid = [...this.#pending].filter(([key]) => key.startsWith(prefix))
    const found = new Map<string, Json | null>()
    for (const [key, bytes] of this.#committed.range(prefix, limit + laid.length)) found.set(key, decodeState(bytes))
    for (const [key, pending] of laid) found.set(key, pending.value)
    return [...found]
      .filter((entry): entry is [string, Json] => entry[1] !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
  }

  /** The writes were committed: what nobody has written over since is dropped from the overlay. */
  settle(writes: Writes): void {
    for (const key of writes.keys()) {
      if (this.#pending.get(key)?.writes === writes) this.#pending.delete(key)
    }
  }
}

/** The changes that a commit carries; a later event's write of the same key wins. */
export function stateChanges(all: readonly Writes[]): StateChange[] {
  const last = new Map(all.flatMap((writes) => [...writes]))
  return [...last].map(([key, value]) => ({ key, value: value === null ? null : encodeState(value) }))
}

function encodeState(value: Json): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function decodeState(bytes: Uint8Array): Json {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as Json
}
