/**
 * Keyed state as a step sees it: committed state under this lease's uncommitted writes. A write is visible at once to
 * its lane's next events, and leaves the overlay after its commit. Keys consist of space, lane, record and key, so
 * lanes can't touch each other's records.
 *
 * A value reads the same before and after its commit, since both are parsed from the same JSON. The lease is the only
 * writer and steps never change their values, so parsed values are cached. A range that was read whole is cached by its
 * keys, and writes update it.
 */
import type { StateChange, StateReader } from '@loomlog/log/port'
import type { Json } from '@loomlog/schemas/ids'

const separator = '\u001f'

/** A key of committed state. Only its last part may hold a control character: no space's key does. */
export function stateKey(...parts: readonly string[]): string {
  // Half a surrogate pair would come back from SQLite as another character.
  return parts.join(separator).toWellFormed()
}

/** One event's writes, by state key, as JSON; null deletes. */
export type Writes = Map<string, string | null>

interface Pending {
  readonly json: string | null
  readonly writes: Writes
  /** Undefined until its first read. */
  value: Json | undefined
}

/**
 * Characters of the keys and the JSON of committed values in the cache, some 4 MB. Beyond this, those that were written
 * or first read longest ago are evicted.
 */
const maxKnownCharacters = 1_000_000
/** Counted for each entry besides. */
const entryCharacters = 50
/** Larger values, in characters of JSON, are not cached. */
const maxKnownSize = 8_192

/** A committed value. It stays JSON until its first read. */
type CommittedValue = ({ readonly value: Json } | { readonly json: string }) & {
  /** Characters of its JSON. */
  readonly size: number
}

/** A limit that no state reaches. */
const allKeys = 1_000_000_000
/** Ranges in the cache. Beyond this, the cache is cleared. */
const maxRanges = 1_024

export class Overlay {
  readonly #committed: StateReader
  readonly #pending = new Map<string, Pending>()
  readonly #known = new Map<string, CommittedValue>()
  #knownCharacters = 0
  /** Every key with a value is known or pending: the state was empty when the lease began, and nothing was evicted. */
  #knowsAll: boolean
  /** By prefix: all its keys, pending writes included. */
  readonly #ranges = new Map<string, Set<string>>()
  /** Lengths of the cached prefixes: a write looks for its key under each. */
  readonly #prefixLengths = new Set<number>()

  constructor(committed: StateReader) {
    this.#committed = committed
    this.#knowsAll = committed.some('', 1).length === 0
  }

  /** How many written keys wait for their commit. */
  get size(): number {
    return this.#pending.size
  }

  get(key: string): Json | null {
    const pending = this.#pending.get(key)
    if (pending) return pendingValue(pending)
    const known = this.#known.get(key)
    if (known !== undefined) return 'value' in known ? known.value : this.#parsed(key, known)
    if (this.#knowsAll) return null
    return this.#remember(key, this.#committed.get(key))
  }

  /** Prefetches these keys in one read. */
  prefetch(keys: readonly string[]): void {
    if (this.#knowsAll) return
    const unknown = keys.filter((key) => !this.#pending.has(key) && !this.#known.has(key))
    const found = this.#committed.getMany(unknown)
    for (const key of unknown) this.#remember(key, found.get(key) ?? null)
  }

  put(writes: Writes, key: string, value: Json | null): void {
    const json = value === null ? null : JSON.stringify(value)
    writes.set(key, json)
    this.#pending.set(key, { json, writes, value: undefined })
    this.#forget(key)
    for (const length of this.#prefixLengths) {
      const keys = this.#ranges.get(key.slice(0, length))
      if (keys) json === null ? keys.delete(key) : keys.add(key)
    }
  }

  /**
   * Deletes every key with the prefix, those that are not committed yet included. No cache keeps a key with it, since
   * keys hold ids and words.
   */
  deleteAll(writes: Writes, prefix: string): void {
    for (const key of [...this.#keys(prefix, allKeys)]) this.put(writes, key, null)
    for (const key of this.#known.keys()) if (key.startsWith(prefix)) this.#forget(key)
    for (const range of this.#ranges.keys()) if (range.startsWith(prefix)) this.#ranges.delete(range)
  }

  /** The key's uncommitted write, or undefined. A new write would cover it. */
  pendingWrite(key: string): string | null | undefined {
    return this.#pending.get(key)?.json
  }

  /**
   * Rolls one event's writes back. No later write may have covered them.
   * @param before by key: the result of `pendingWrite` before the event's write
   */
  undo(writes: Writes, before: ReadonlyMap<string, string | null | undefined>): void {
    for (const [key, json] of before) {
      if (json === undefined) {
        writes.delete(key)
        this.#pending.delete(key)
      } else {
        // The earlier write belongs to another event's writes, which may be committed by now.
        writes.set(key, json)
        this.#pending.set(key, { json, writes, value: undefined })
      }
    }
    this.#knowsAll = false
    this.#ranges.clear()
    this.#prefixLengths.clear()
  }

  range(prefix: string, limit: number): (readonly [key: string, value: Json])[] {
    return [...(this.#ranges.get(prefix) ?? this.#keys(prefix, limit))]
      .sort(compareBytewise)
      .slice(0, limit)
      .map((key) => [key, this.get(key)] as const)
  }

  /** At least the first `limit` keys with the prefix. */
  #keys(prefix: string, limit: number): ReadonlySet<string> {
    const pending: (readonly [key: string, pending: Pending])[] = []
    for (const entry of this.#pending) if (entry[0].startsWith(prefix)) pending.push(entry)
    // Reads more keys: uncommitted deletions and insertions may displace as many.
    const most = limit + pending.length
    const found = this.#committed.range(prefix, most)
    const keys = new Set(found.map(([key, bytes]) => this.#note(key, bytes)))
    for (const [key, { json }] of pending) json === null ? keys.delete(key) : keys.add(key)
    if (found.length < most) this.#keepRange(prefix, keys)
    return keys
  }

  #keepRange(prefix: string, keys: Set<string>): void {
    if (this.#ranges.size >= maxRanges) {
      this.#ranges.clear()
      this.#prefixLengths.clear()
    }
    this.#ranges.set(prefix, keys)
    this.#prefixLengths.add(prefix.length)
  }

  /** Drops committed writes from the overlay, unless a later write covers them. */
  markCommitted(writes: Writes): void {
    for (const key of writes.keys()) {
      const pending = this.#pending.get(key)
      if (pending?.writes !== writes) continue
      this.#pending.delete(key)
      const { value, json } = pending
      if (json === null) continue
      const size = json.length
      this.#keep(key, value === undefined ? { json, size } : { value, size })
    }
  }

  #note(key: string, bytes: Uint8Array): string {
    if (!this.#pending.has(key) && !this.#known.has(key)) this.#remember(key, bytes)
    return key
  }

  #remember(key: string, bytes: Uint8Array | null): Json {
    const value = bytes === null ? null : decodeState(bytes)
    this.#keep(key, { value, size: bytes?.length ?? 0 })
    return value
  }

  /** Keeps its position in the cache, so that a read evicts nothing. */
  #parsed(key: string, { json, size }: { readonly json: string; readonly size: number }): Json {
    const value = JSON.parse(json) as Json
    this.#known.set(key, { value, size })
    return value
  }

  #keep(key: string, known: CommittedValue): void {
    this.#forget(key)
    if (known.size > maxKnownSize) {
      this.#knowsAll = false
      return
    }
    this.#known.set(key, known)
    this.#knownCharacters += entryCharacters + key.length + known.size
    for (const oldest of this.#known.keys()) {
      if (this.#knownCharacters <= maxKnownCharacters) break
      this.#forget(oldest)
      this.#knowsAll = false
    }
  }

  #forget(key: string): void {
    const known = this.#known.get(key)
    if (known === undefined) return
    this.#known.delete(key)
    this.#knownCharacters -= entryCharacters + key.length + known.size
  }
}

/** The changes that a commit carries; a later event's write of the same key wins. */
export function stateChanges(all: readonly Writes[]): StateChange[] {
  const last: Writes = new Map()
  for (const writes of all) for (const [key, value] of writes) last.set(key, value)
  return Array.from(last, ([key, json]) => ({ key, value: json === null ? null : Buffer.from(json) }))
}

/**
 * The order of committed state. JavaScript's order puts 🧵 before ｆ, so a range's result would change with the commit.
 */
export function compareBytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function pendingValue(pending: Pending): Json {
  pending.value ??= pending.json === null ? null : (JSON.parse(pending.json) as Json)
  return pending.value
}

function decodeState(bytes: Uint8Array): Json {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as Json
}
