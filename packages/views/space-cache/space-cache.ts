/**
 * A cache of spaces in memory. A space is read at its first search and then kept up to date, so that a search costs no
 * query of the store. An entry is one table of one space, since no search is wider. All entries together hold at most
 * `maxBytes`; the least recently searched is evicted first. A single entry larger than that is searched in the store.
 */
import { noteTextCache } from '@loomlog/text-caches'
import type { FullTextSearch, ReadableShard, Scan, Search, VectorSearch } from '../port.ts'
import type { RowOf, Table } from '../table.ts'
import { byIds, count, fullText, nearest, scan } from './search-rows.ts'
import type { SpaceRows } from './space-rows.ts'
import { type SpaceSource, SpaceTable, type SpaceTableOptions } from './space-table.ts'

interface Entry {
  readonly table: SpaceTable
  /** Its size when it was last measured. */
  bytes: number
}

/**
 * The entries that one caller has searched. Each is brought up to date at its first search and not again, so that the
 * ten searches of a recall cost one query of the store. Entries that the cache evicts meanwhile stay in memory until
 * the caller ends, beyond `maxBytes`.
 */
export type SpaceSnapshots = Map<string, Promise<SpaceRows | null>>

/** The size of an entry without rows: its space is empty or too large. */
const entryBytes = 1_000

export class SpaceCache {
  readonly #maxBytes: number
  readonly #shards = new WeakMap<SpaceSource, number>()
  /** The least recently searched first. */
  readonly #entries = new Map<string, Entry>()
  #shardCount = 0
  #bytes = 0

  constructor({ maxBytes = Infinity }: { readonly maxBytes?: number } = {}) {
    this.#maxBytes = maxBytes
    noteTextCache(this)
  }

  /** Estimated size in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * Searches of a shard in memory. They find the same rows as the shard; full-text scores are those of the space alone.
   * @param snapshots null: every search sees the newest commits
   */
  searchesOf(shard: ReadableShard, dimensions: number, snapshots: SpaceSnapshots | null = null): Search {
    const within = async <T extends Table, R>(
      table: T,
      space: string,
      inMemory: (rows: SpaceRows) => R,
      inStore: () => Promise<R>,
    ): Promise<R> => {
      const rows = await this.#snapshotOf({ shard, table, space, dimensions }, snapshots)
      return rows === null ? inStore() : inMemory(rows)
    }
    return {
      fullText: <T extends Table>(table: T, search: FullTextSearch<T>) =>
        within(
          table,
          search.space,
          (rows) => fullText<RowOf<T>>(rows, search),
          () => shard.fullText(table, search),
        ),
      nearest: <T extends Table>(table: T, search: VectorSearch<T>) =>
        within(
          table,
          search.space,
          (rows) => nearest<RowOf<T>>(rows, search),
          () => shard.nearest(table, search),
        ),
      byIds: <T extends Table>(table: T, space: string, ids: readonly string[]) =>
        within(
          table,
          space,
          (rows) => byIds<RowOf<T>>(rows, ids),
          () => shard.byIds(table, space, ids),
        ),
      scan: <T extends Table>(table: T, search: Scan<T>) =>
        within(
          table,
          search.space,
          (rows) => scan<RowOf<T>>(rows, search),
          () => shard.scan(table, search),
        ),
      count: (table, search) =>
        within(
          table,
          search.space,
          (rows) => count(rows, search),
          () => shard.count(table, search),
        ),
    }
  }

  /** Reads a table of a space, unless it is in memory. */
  async load(options: Omit<SpaceTableOptions, 'maxBytes'>): Promise<void> {
    const key = this.#keyOf(options)
    if (!this.#entries.has(key)) await this.#rowsOf(key, options)
  }

  /** Frees the memory of all spaces: a row that a forgetting removed stays in it until the space is searched again. */
  forgetTexts(): void {
    for (const key of this.#entries.keys()) this.#drop(key)
  }

  /** Frees the memory of a shard's spaces. */
  forget(shard: ReadableShard): void {
    const prefix = `${this.#numberOf(shard)} `
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#drop(key)
  }

  #snapshotOf(
    options: Omit<SpaceTableOptions, 'maxBytes'>,
    snapshots: SpaceSnapshots | null,
  ): Promise<SpaceRows | null> {
    const key = this.#keyOf(options)
    const known = snapshots?.get(key)
    if (known !== undefined) return known
    const rows = this.#rowsOf(key, options)
    snapshots?.set(key, rows)
    return rows
  }

  /** Null: the space is too large. */
  async #rowsOf(key: string, options: Omit<SpaceTableOptions, 'maxBytes'>): Promise<SpaceRows | null> {
    const known = this.#entries.get(key)
    const entry = known ?? { table: new SpaceTable({ ...options, maxBytes: this.#maxBytes }), bytes: 0 }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#count(entry)
    const rows = await entry.table.current()
    if (this.#entries.get(key) === entry) this.#count(entry)
    return rows
  }

  #count(entry: Entry): void {
    const bytes = entryBytes + entry.table.bytes
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    for (const [key, other] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      if (other !== entry) this.#drop(key)
    }
    // Results of searches may make a space too large: it is read again, without them.
    if (this.#bytes > this.#maxBytes) for (const key of this.#entries.keys()) this.#drop(key)
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }

  #keyOf({ shard, table, space }: Omit<SpaceTableOptions, 'maxBytes'>): string {
    return `${this.#numberOf(shard)} ${table.name} ${space}`
  }

  #numberOf(shard: SpaceSource): number {
    const number = this.#shards.get(shard) ?? this.#shardCount++
    this.#shards.set(shard, number)
    return number
  }
}
