/**
 * Reads the views of one generation. A space's rows are in the shard of its partition. A shard is opened when it is first asked for; one
 * that nothing was written to yet reads as empty.
 */
import { isLoomlogError } from '@loomlog/errors'
import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import { promptEnds } from '@loomlog/log/prompt-ends'
import { tablesOf, viewId } from './catalogue.ts'
import { replacedIn } from './continuity.ts'
import type { FullTextSearch, ReadableShard, Scan, Search, VectorSearch, VectorSpace, ViewStore } from './port.ts'
import { type Rebuild, Rebuilds } from './rebuilds.ts'
import type { Looks, SpaceCache } from './space-cache/space-cache.ts'
import type { Table } from './table.ts'
import { tables } from './tables/tables.ts'

export interface ViewReaderOptions {
  /** Default: loomlog's own. */
  readonly tables?: readonly Table[]
  readonly store: ViewStore
  readonly vectorSpace: VectorSpace
  readonly partitions: number
  /** The generation's topics as they are called in the log. */
  readonly sources: ReadonlyMap<string, string>
  /** The log that the views should be made from. Default: shards are not compared with it, and `rebuilds` is empty. */
  readonly log?: Log
  /** Holds the spaces that are searched in memory. Default: every search is one of the store. */
  readonly cache?: SpaceCache
  /** Reports a shard that was made from another log: it reads as empty until it is made again. */
  onReplaced?(message: string): void
}

/** The place in the log of a space's rows of one table. */
export interface RowOrigin {
  readonly topic: string
  readonly partition: number
}

interface Origin extends RowOrigin {
  /** The topic as it is called in the log. */
  readonly source: string
}

export class ViewReader implements Search {
  readonly #options: ViewReaderOptions
  /** Promises, so that reads that come together open a shard once. Null: there is none, and the next read looks again. */
  readonly #open: Map<string, Promise<ReadableShard | null>>
  readonly #rebuilds: Rebuilds
  /** Null: every search is brought up to date. */
  readonly #looks: Looks | null

  constructor(
    options: ViewReaderOptions,
    within: { readonly reader: ViewReader; readonly looks: Looks } | null = null,
  ) {
    this.#options = options
    this.#open = within === null ? new Map() : within.reader.#open
    this.#rebuilds = within === null ? new Rebuilds(options.log ?? null) : within.reader.#rebuilds
    this.#looks = within?.looks ?? null
  }

  /**
   * This reader for one recall: a table of a space in memory is brought up to date at its first search, and not again. Read the watermark of
   * utterances before the first search of them: a row that is merged between the two would be in neither the view nor the log tail.
   */
  forOneRecall(): ViewReader {
    return new ViewReader(this.#options, { reader: this, looks: new Map() })
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

  /** A topic of this generation as it is called in the log; null where it has none. */
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

  /** Reads tables of a space into memory that are not there, at once. Without a cache it does nothing. */
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

  /** How far the tables of a topic have come in a partition: the offset that the slowest lacks. */
  async watermark(topic: string, partition: number): Promise<number> {
    return this.#readAt(topic, partition, 0, async (shard) => {
      const marks = await Promise.all(tablesOf(topic, this.tables).map((table) => shard.watermark(table)))
      return Math.min(...marks.map((mark) => mark.offset))
    })
  }

  /** The shards of these spaces (`tenant/space`) that lack records because they are made, or made again. */
  rebuilds(spaces: readonly string[]): Promise<readonly Rebuild[]> {
    const partitions = new Set(spaces.map((space) => this.partitionOf(space)))
    return this.#rebuilds.inPartitions(partitions, (topic, partition) => this.watermark(topic, partition))
  }

  /**
   * Opens shards again from now on, for when one was deleted: it reads as empty until it is rebuilt. Searches under way keep the shards
   * that they have; none is closed under them.
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

  #read<R>(table: Table, space: string, none: R, work: (shard: Search) => Promise<R>): Promise<R> {
    const { cache, vectorSpace } = this.#options
    return this.#readAt(table.topic.name, this.partitionOf(space), none, (shard) =>
      work(cache === undefined ? shard : cache.over(shard, vectorSpace.dimensions, this.#looks)),
    )
  }

  /** The next read opens the shard again. */
  #leave(topic: string, partition: number): void {
    const key = this.#keyOf(topic, partition)
    const opening = this.#open.get(key)
    if (opening !== undefined) this.#forgetSpaces(opening)
    this.#open.delete(key)
  }

  /**
   * A shard that can't be read is opened again: it may have been made again meanwhile. If it still can't be read, it is discarded, so
   * that its writer makes it again. @throws LoomlogError `view-corrupt` then, once: until it is made again it reads as empty, and
   * `rebuilds` names it; other shards are read as before
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
      this.#leave(topic, partition)
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
    this.#leave(topic, partition)
    // A folder that can't be written keeps the shard; the caller reports the damage in any case.
    await store.discard(viewId(source, vectorSpace.name), partition).catch(() => {})
  }

  #keyOf(topic: string, partition: number): string {
    return `${viewId(this.source(topic) ?? topic, this.vectorSpace.name)}/${partition}`
  }

  /** Null where nothing was written yet, and where the shard was made from another log. */
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
    const { topic, source, partition } = origin
    const { store, vectorSpace } = this.#options
    try {
      const view = viewId(source, vectorSpace.name)
      const shard = await store.read({ view, partition, tables: tablesOf(topic, this.tables), vectorSpace }, 'latest')
      return (await this.#belongs(shard, origin)) ? shard : null
    } catch (error) {
      if (!isLoomlogError(error, 'not-found')) throw error
      await this.#rebuilds.compareOnce(origin, null)
      return null
    }
  }

  /** Whether the shard was made from the log. A shard of another log is closed. */
  async #belongs(shard: ReadableShard, origin: Origin): Promise<boolean> {
    const { log, onReplaced } = this.#options
    if (log === undefined) return true
    const { topic, source, partition } = origin
    const marks = await Promise.all(tablesOf(topic, this.tables).map((table) => shard.watermark(table)))
    // A caller waits: the comparison itself would wait longer for a log that is away.
    if (marks.some(({ checkpoint }) => checkpoint !== null)) await promptEnds(log, source)
    const reason = await replacedIn(log, { topic: source, partition }, marks)
    if (reason === null) {
      await this.#rebuilds.compareOnce(origin, Math.min(...marks.map(({ offset }) => offset)))
      return true
    }
    onReplaced?.(`the view of ${topic}/${partition} was made from another log (${reason}): it is made again`)
    await this.#rebuilds.note(origin)
    await shard.close()
    return false
  }
}
