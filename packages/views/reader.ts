/**
 * Reads the views of one generation. A space's rows are in the shard of its partition. A shard is opened at its first
 * read; one that is not written yet reads as empty.
 */
import { isLoomlogError } from '@loomlog/errors'
import { endOffsetsInTime } from '@loomlog/log/end-offsets-in-time'
import { partitionOf } from '@loomlog/log/partition'
import { tablesOf, viewId } from './catalogue.ts'
import type { Condition } from './condition.ts'
import { replacedLogReason } from './continuity.ts'
import type { FullTextSearch, ReadableShard, Scan, Search, VectorSearch, VectorSpace } from './port.ts'
import type { ViewReaderOptions } from './reader-options.ts'
import { type Rebuild, Rebuilds, type ShardLag } from './rebuilds.ts'
import type { SpaceSnapshots } from './space-cache/space-cache.ts'
import type { RowOf, Table } from './table.ts'
import { tables } from './tables/tables.ts'

/** The place in the log of a space's rows of one table. */
export interface RowOrigin {
  readonly topic: string
  readonly partition: number
}

interface Origin extends RowOrigin {
  /** The topic's name in the log. */
  readonly source: string
}

export class ViewReader implements Search {
  readonly lookUpWaitMs: number | undefined
  readonly #options: ViewReaderOptions
  /** Promises, so that concurrent reads open a shard once. Null: there is none; the next read looks for it again. */
  readonly #open: Map<string, Promise<ReadableShard | null>>
  readonly #rebuilds: Rebuilds
  /** Shards of another log that were reported, by `#keyOf`: every read finds them again until they are rebuilt. */
  readonly #replaced: Set<string>
  /** Null: every search sees the newest commits. */
  readonly #snapshots: SpaceSnapshots | null

  constructor(
    options: ViewReaderOptions,
    within: { readonly reader: ViewReader; readonly snapshots: SpaceSnapshots } | null = null,
  ) {
    this.#options = options
    this.lookUpWaitMs = options.lookUpWaitMs
    this.#open = within === null ? new Map() : within.reader.#open
    this.#rebuilds = within === null ? new Rebuilds(options.log ?? null) : within.reader.#rebuilds
    this.#replaced = within === null ? new Set() : within.reader.#replaced
    this.#snapshots = within?.snapshots ?? null
  }

  /**
   * A reader for one recall: it brings a cached table of a space up to date at its first search, and not again. Read
   * the watermark of utterances before searching them: otherwise a row that is merged in between is in neither the
   * search nor the log tail.
   */
  forOneRecall(): ViewReader {
    return new ViewReader(this.#options, { reader: this, snapshots: new Map() })
  }

  /** A cause before its effects. */
  get tables(): readonly Table[] {
    return this.#options.tables ?? tables
  }

  get vectorSpace(): VectorSpace {
    return this.#options.vectorSpace
  }

  partitionOf(space: string): number {
    return partitionOf(space, this.#options.partitions)
  }

  /** The name in the log of a topic of this generation; null: the generation lacks the topic. */
  source(topic: string): string | null {
    return this.#options.sources.get(topic) ?? null
  }

  origin({ topic: { name: topic } }: Table, space: string): RowOrigin {
    return { topic: this.source(topic) ?? topic, partition: this.partitionOf(space) }
  }

  fullText<T extends Table>(table: T, search: FullTextSearch<T>) {
    return this.#read(table, search.space, [], (shard) => shard.fullText(table, search))
  }

  nearest<T extends Table>(table: T, search: VectorSearch<T>) {
    return this.#read(table, search.space, [], (shard) => shard.nearest(table, search))
  }

  async byIds<T extends Table>(table: T, space: string, ids: readonly string[]) {
    if (ids.length === 0) return []
    return this.#read(table, space, [], (shard) => shard.byIds(table, space, ids))
  }

  scan<T extends Table>(table: T, search: Scan<T>) {
    return this.#read(table, search.space, [], (shard) => shard.scan(table, search))
  }

  count<T extends Table>(table: T, search: Omit<Scan<T>, 'limit'>) {
    return this.#read(table, search.space, 0, (shard) => shard.count(table, search))
  }

  /** The rows of all spaces that meet the condition. It reads no space into the cache. */
  async total<T extends Table>(table: T, where: Condition<RowOf<T>>): Promise<number> {
    const { partitions } = this.#options
    const totals = await Promise.all(
      Array.from({ length: partitions }, (_, partition) =>
        this.#readAt(table.topic.name, partition, 0, (shard) => shard.total(table, where)),
      ),
    )
    return totals.reduce((sum, total) => sum + total, 0)
  }

  /**
   * Reads these tables of a space into the cache, in parallel, unless they are in it. Without a cache it does nothing.
   */
  async load(tables: readonly Table[], space: string): Promise<void> {
    const { cache, vectorSpace } = this.#options
    if (cache === undefined) return
    const { dimensions } = vectorSpace
    await Promise.all(
      tables.map((table) =>
        this.#readAt(table.topic.name, this.partitionOf(space), undefined, (shard) =>
          cache.load({ shard, table, space, dimensions }),
        ),
      ),
    )
  }

  /** Whether the rows of the space are void, since a forgetting is requested that the view has not passed. */
  async isVoid(table: Table, space: string): Promise<boolean> {
    const { topic: source, partition } = this.origin(table, space)
    const watermark = () => this.watermark(table.topic.name, partition)
    return (await this.#options.isVoid?.({ space, source, watermark })) ?? false
  }

  /** The lowest watermark of a topic's tables in a partition. */
  async watermark(topic: string, partition: number): Promise<number> {
    return this.#readAt(topic, partition, 0, async (shard) => {
      const marks = await Promise.all(tablesOf(topic, this.tables).map((table) => shard.watermark(table)))
      return Math.min(...marks.map((mark) => mark.offset))
    })
  }

  /** The shards of these spaces (`tenant/space`) that lack records because they are built or rebuilt. */
  rebuilds(spaces: readonly string[]): Promise<readonly Rebuild[]> {
    const partitions = new Set(spaces.map((space) => this.partitionOf(space)))
    return this.#rebuilds.inPartitions(partitions, (topic, partition) => this.watermark(topic, partition))
  }

  /** The shards of these spaces (`tenant/space`) that lack records of the log: they catch up, or are rebuilt. */
  behind(spaces: readonly string[]): Promise<readonly ShardLag[]> {
    const partitions = new Set(spaces.map((space) => this.partitionOf(space)))
    const { sources } = this.#options
    return this.#rebuilds.behind({ sources, partitions }, (topic, partition) => this.watermark(topic, partition))
  }

  /**
   * Drops the open shards, for when one was deleted: later reads open them again, and a deleted one reads as empty
   * until it is rebuilt. Searches under way keep their shards, so none is closed here.
   */
  forget(): void {
    for (const opening of this.#open.values()) this.#forgetSpaces(opening)
    this.#open.clear()
  }

  async close(): Promise<void> {
    const opening = [...this.#open.values()]
    this.forget()
    const shards = await Promise.all(opening.map((each) => each.catch(() => null)))
    for (const shard of shards) await shard?.close()
  }

  #forgetSpaces(opening: Promise<ReadableShard | null>): void {
    const forget = (shard: ReadableShard | null) => shard && this.#options.cache?.forget(shard)
    void opening.then(forget, () => {})
  }

  async #read<R>(table: Table, space: string, none: R, work: (shard: Search) => Promise<R>): Promise<R> {
    if (await this.isVoid(table, space)) return none
    const { cache, vectorSpace } = this.#options
    return this.#readAt(table.topic.name, this.partitionOf(space), none, (shard) =>
      work(cache === undefined ? shard : cache.searchesOf(shard, vectorSpace.dimensions, this.#snapshots)),
    )
  }

  /** The next read opens the shard again. */
  #dropShard(topic: string, partition: number): void {
    const key = this.#keyOf(topic, partition)
    const opening = this.#open.get(key)
    if (opening !== undefined) this.#forgetSpaces(opening)
    this.#open.delete(key)
  }

  /**
   * A shard that can't be read is opened again: it may have been rebuilt meanwhile. If it still can't be read, it is
   * discarded, so that its writer rebuilds it. @throws LoomlogError `view-corrupt` then, once: until it is rebuilt it
   * reads as empty, and `rebuilds` names it; other shards are read as before
   */
  async #readAt<R>(topic: string, partition: number, none: R, work: (shard: ReadableShard) => Promise<R>): Promise<R> {
    const attempt = async () => {
      const shard = await this.#shardAt(topic, partition)
      return shard === null ? none : work(shard)
    }
    try {
      return await attempt()
    } catch (error) {
      if (!isLoomlogError(error, 'view-corrupt')) throw error
      this.#dropShard(topic, partition)
    }
    const origin = { topic, source: this.source(topic) ?? topic, partition }
    const isKnown = this.#rebuilds.has(origin)
    await this.#rebuilds.note(origin)
    try {
      return await attempt()
    } catch (error) {
      if (!isLoomlogError(error, 'view-corrupt')) throw error
      await this.#discard(origin)
      if (isKnown) return none
      throw error
    }
  }

  async #discard({ topic, source, partition }: Origin): Promise<void> {
    const { store, vectorSpace } = this.#options
    this.#dropShard(topic, partition)
    // A folder that can't be written keeps the shard; the caller reports the damage in any case.
    await store.discard(viewId(source, vectorSpace.name), partition).catch(() => {})
  }

  #keyOf(topic: string, partition: number): string {
    return `${viewId(this.source(topic) ?? topic, this.vectorSpace.name)}/${partition}`
  }

  /** The open shard; null: it is not written yet, or was made from another log. */
  async #shardAt(topic: string, partition: number): Promise<ReadableShard | null> {
    const source = this.source(topic)
    if (source === null) return null
    const key = this.#keyOf(topic, partition)
    const known = this.#open.get(key)
    if (known !== undefined) return known
    const opening = this.#openShard({ topic, source, partition })
    this.#open.set(key, opening)
    const forget = () => {
      if (this.#open.get(key) === opening) this.#open.delete(key)
    }
    void opening.then((shard) => shard === null && forget(), forget)
    return opening
  }

  async #openShard(origin: Origin): Promise<ReadableShard | null> {
    const shard = await this.#stored(origin)
    if (shard === null) {
      await this.#rebuilds.compareOnce(origin, null)
      return null
    }
    let belongs = false
    try {
      belongs = await this.#belongs(shard, origin)
    } finally {
      if (!belongs) await shard.close()
    }
    return belongs ? shard : null
  }

  async #stored({ topic, source, partition }: Origin): Promise<ReadableShard | null> {
    const { store, vectorSpace } = this.#options
    const view = viewId(source, vectorSpace.name)
    try {
      return await store.read({ view, partition, tables: tablesOf(topic, this.tables), vectorSpace }, 'latest')
    } catch (error) {
      if (isLoomlogError(error, 'not-found')) return null
      throw error
    }
  }

  /** Whether the shard was made from the log. A shard of another log is reported once. */
  async #belongs(shard: ReadableShard, origin: Origin): Promise<boolean> {
    const { log, onReplaced } = this.#options
    if (log === undefined) return true
    const { topic, source, partition } = origin
    const marks = await Promise.all(tablesOf(topic, this.tables).map((table) => shard.watermark(table)))
    // Fails soon if the log is away; the comparison would keep the caller waiting.
    if (marks.some(({ checkpoint }) => checkpoint !== null)) await endOffsetsInTime(log, source)
    const reason = await replacedLogReason(log, { topic: source, partition }, marks)
    const key = this.#keyOf(topic, partition)
    if (reason === null) {
      this.#replaced.delete(key)
      await this.#rebuilds.compareOnce(origin, Math.min(...marks.map(({ offset }) => offset)))
      return true
    }
    if (!this.#replaced.has(key)) {
      this.#replaced.add(key)
      onReplaced?.(`the view of ${topic}/${partition} was made from another log (${reason}): it is rebuilt`)
    }
    await this.#rebuilds.note(origin)
    return false
  }
}
