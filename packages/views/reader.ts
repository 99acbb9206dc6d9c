/**
 * Reads the views of one generation. A space's rows stand in the shard of its partition; shards are opened when they are first
 * asked for, and one that nothing was written to yet reads as empty.
 */
import { isLoomlogError } from '@loomlog/errors'
import { partitionOf } from '@loomlog/log/partition'
import { shardUri, type TableName, type ViewTopic, viewId, viewTables, viewTopics } from './catalogue.ts'
import type { VectorSpace } from './fence.ts'
import { openShard, type ReadableShard } from './shard.ts'

export interface ViewReaderOptions {
  /** Where all views stand: a folder or an object-store URI. */
  readonly views: string
  readonly vectorSpace: VectorSpace
  readonly partitions: number
  /** The generation's topics as they are called in the log. */
  readonly sources: ReadonlyMap<ViewTopic, string>
}

export interface View {
  readonly topic: ViewTopic
  readonly source: string
  readonly partition: number
  readonly tables: readonly TableName[]
  readonly shard: ReadableShard
}

const topicOfTable = new Map<string, ViewTopic>(
  viewTopics.flatMap((topic) => viewTables[topic].map((table) => [table, topic] as const)),
)

export class ViewReader {
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
  source(topic: ViewTopic): string | null {
    return this.#options.sources.get(topic) ?? null
  }

  /** The view that holds a table's rows of a space (`tenant/space`); null where nothing was written yet. */
  async view(table: TableName, space: string): Promise<View | null> {
    return this.viewAt(topicOfTable.get(table) as ViewTopic, this.partitionOf(space))
  }

  async viewAt(topic: ViewTopic, partition: number): Promise<View | null> {
    const source = this.source(topic)
    if (source === null) return null
    const uri = shardUri(this.#options.views, viewId(source, this.vectorSpace.name), partition)
    const shard = this.#open.get(uri) ?? (await this.#openShard(uri, viewTables[topic]))
    return shard && { topic, source, partition, tables: viewTables[topic], shard }
  }

  /**
   * Opens shards anew from now on: for when one was deleted, which reads as empty until it is made again. What is under way goes on
   * with what it has; nothing is closed under it.
   */
  forget(): void {
    this.#open.clear()
  }

  async close(): Promise<void> {
    for (const shard of this.#open.values()) await shard.close()
    this.#open.clear()
  }

  async #openShard(uri: string, tables: readonly TableName[]): Promise<ReadableShard | null> {
    try {
      const shard = await openShard({ uri, tables, vectorSpace: this.vectorSpace, mode: 'read' })
      this.#open.set(uri, shard)
      return shard
    } catch (error) {
      if (isLoomlogError(error, 'not-found')) return null
      throw error
    }
  }
}
