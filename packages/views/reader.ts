/**
 * Reads the views of one generation. A space's rows are in the shard of its partition. A shard is opened when it is first asked for; one
 * that nothing was written to yet reads as empty.
 */
import { isLoomlogError } from '@loomlog/errors'
import { partitionOf } from '@loomlog/log/partition'
import { tablesOf, viewId } from './catalogue.ts'
import type { FullTextSearch, ReadableShard, Scan, Search, VectorSearch, VectorSpace, ViewStore } from './port.ts'
import type { Table } from './table.ts'

export interface ViewReaderOptions {
  readonly store: ViewStore
  readonly vectorSpace: VectorSpace
  readonly partitions: number
  /** The generation's topics as they are called in the log. */
  readonly sources: ReadonlyMap<string, string>
}

/** Where a table's rows of a space come from in the log. */
export interface RowOrigin {
  readonly topic: string
  readonly partition: number
}

export class ViewReader implements Search {
  readonly #options: ViewReaderOptions
  readonly #open = new Map<string, ReadableShard>()

  constructor(options: ViewReaderOptions) {
    this.#options = options
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

  origin({ topic }: Table, space: string): RowOrigin {
    return { topic: this.source(topic) ?? topic, partition: this.partitionOf(space) }
  }

  async fullText<T extends Table>(table: T, search: FullTextSearch<T>) {
    return (await this.#shard(table, search.space))?.fullText(table, search) ?? []
  }

  async nearest<T extends Table>(table: T, search: VectorSearch<T>) {
    return (await this.#shard(table, search.space))?.nearest(table, search) ?? []
  }

  async byIds<T extends Table>(table: T, space: string, ids: readonly string[]) {
    return ids.length === 0 ? [] : ((await this.#shard(table, space))?.byIds(table, space, ids) ?? [])
  }

  async scan<T extends Table>(table: T, search: Scan<T>) {
    return (await this.#shard(table, search.space))?.scan(table, search) ?? []
  }

  async count<T extends Table>(table: T, search: Omit<Scan<T>, 'limit'>) {
    return (await this.#shard(table, search.space))?.count(table, search) ?? 0
  }

  /** How far the tables of a topic have come in a partition: the offset that the slowest lacks. */
  async watermark(topic: string, partition: number): Promise<number> {
    const shard = await this.#shardAt(topic, partition)
    if (shard === null) return 0
    const marks = await Promise.all(tablesOf(topic).map((table) => shard.watermark(table)))
    return Math.min(...marks.map((mark) => mark.offset))
  }

  /**
   * Opens shards again from now on, for when one was deleted: it reads as empty until it is rebuilt. Searches under way keep the shards
   * that they have; none is closed under them.
   */
  forget(): void {
    this.#open.clear()
  }

  async close(): Promise<void> {
    for (const shard of this.#open.values()) await shard.close()
    this.#open.clear()
  }

  #shard(table: Table, space: string): Promise<ReadableShard | null> {
    return this.#shardAt(table.topic, this.partitionOf(space))
  }

  /** Null where nothing was written yet. */
  async #shardAt(topic: string, partition: number): Promise<ReadableShard | null> {
    const source = this.source(topic)
    if (source === null) return null
    const { store, vectorSpace } = this.#options
    const view = viewId(source, vectorSpace.name)
    const key = `${view}/${partition}`
    const open = this.#open.get(key)
    if (open) return open
    try {
      const tables = tablesOf(topic)
      const shard = await store.read({ view, partition, tables, vectorSpace }, 'latest')
      this.#open.set(key, shard)
      return shard
    } catch (error) {
      if (isLoomlogError(error, 'not-found')) return null
      throw error
    }
  }
}
