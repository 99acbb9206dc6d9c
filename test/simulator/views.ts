/**
 * The views of a simulated pipeline: the real materializer over the in-memory view store, whose writes take a while,
 * fail, or lose their reply. At the end every view must equal the result of a plain loop over its topic.
 */

import { isLoomlogError } from '@loomlog/errors'
import type { Log, Membership } from '@loomlog/log/port'
import { materialize, type ViewOptions } from '@loomlog/materializer/materializer'
import { unthrottled } from '@loomlog/runtime/throttle'
import type { Codec } from '@loomlog/schemas/codec'
import { physicalTopic, topicSpec } from '@loomlog/topics/catalogue'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { dumpTable } from '@loomlog/views/dump'
import { memoryStore } from '@loomlog/views/in-memory'
import type { ReadableShard, ViewStore, WritableShard } from '@loomlog/views/port'
import { project } from '@loomlog/views/project'
import type { Cluster } from './log/cluster.ts'
import { performWrite } from './log/request.ts'

const viewedTopics = ['topic-shifts', 'facts'] as const
type ViewedTopic = (typeof viewedTopics)[number]
const vectorSpace = { name: 'simulated', dimensions: 2 }
/** Groups with this prefix keep their positions in the view. */
const groupPrefix = 'materializer.'

export class SimulatedViews {
  readonly #store: ViewStore = memoryStore()
  readonly #cluster: Cluster
  readonly #codec: Codec
  readonly #derivation: string

  constructor(cluster: Cluster, codec: Codec, derivation: string) {
    this.#cluster = cluster
    this.#codec = codec
    this.#derivation = derivation
  }

  static isViewGroup(group: string): boolean {
    return group.startsWith(groupPrefix)
  }

  /** The views of one process. A view that lost its shard reports `fenced`, which is not a failure. */
  join(options: {
    readonly log: Log
    readonly sessionMs: number
    readonly signal: AbortSignal
    onError(error: unknown): void
  }): readonly Promise<Membership>[] {
    const onError = (error: unknown) => {
      if (!isLoomlogError(error, 'fenced')) options.onError(error)
    }
    return viewedTopics.map((topic) =>
      materialize({
        ...options,
        codec: this.#codec,
        vectors: vectors(),
        store: this.#remote(),
        topic,
        tables: tablesOf(topic),
        source: this.#source(topic),
        partitions: this.#cluster.topic(this.#source(topic)).partitions.length,
        throttle: unthrottled,
        onRebuild: (message) => options.onError(new Error(`simulated shards are never damaged: ${message}`)),
        onError,
      }),
    )
  }

  /** A table that is behind, with its position; null if all are at the end of their topics. */
  async behind(): Promise<string | null> {
    for (const { topic, partition, end } of this.#shards()) {
      const shard = await this.#opened(topic, partition)
      for (const table of end === 0 ? [] : tablesOf(topic)) {
        const offset = (await shard?.watermark(table))?.offset ?? 0
        if (offset < end) return `table ${table.name} is at ${offset} of ${end} in partition ${partition}`
      }
    }
    return null
  }

  async violations(): Promise<readonly string[]> {
    const found: string[] = []
    for (const { topic, partition, end } of this.#shards()) {
      if (end === 0) continue
      const expected = await this.#expected(topic, partition)
      const shard = await this.#opened(topic, partition)
      for (const table of tablesOf(topic)) {
        const [wanted, made] = [await linesOf(expected, table), shard === null ? [] : await linesOf(shard, table)]
        if (String(wanted) === String(made)) continue
        found.push(
          `table ${table.name} of partition ${partition}: ${made.length} rows instead of ${wanted.length}, or other rows`,
        )
      }
    }
    return found
  }

  #source(topic: ViewedTopic): string {
    return physicalTopic(topicSpec(topic), this.#derivation)
  }

  #shards() {
    return viewedTopics.flatMap((topic) =>
      this.#cluster
        .topic(this.#source(topic))
        .partitions.map(({ length: end }, partition) => ({ topic, partition, end })),
    )
  }

  #place(topic: ViewedTopic, partition: number) {
    const view = viewId(this.#source(topic), vectorSpace.name)
    return { view, partition, tables: tablesOf(topic), vectorSpace }
  }

  async #opened(topic: ViewedTopic, partition: number): Promise<ReadableShard | null> {
    return await this.#store.read(this.#place(topic, partition), 'latest').catch((error) => {
      if (isLoomlogError(error, 'not-found')) return null
      throw error
    })
  }

  /** A shard with the expected rows: all records of the topic, applied to each table in one batch. */
  async #expected(topic: ViewedTopic, partition: number): Promise<ReadableShard> {
    const shard = await memoryStore().write(this.#place(topic, partition))
    const records = this.#cluster.topic(this.#source(topic)).partitions[partition] ?? []
    const present = records.filter(({ timestamp }) => timestamp !== -1)
    for (const table of tablesOf(topic)) {
      const changes = []
      for (const record of present) {
        const event = await this.#codec.decode(record.value)
        changes.push(...project(event, record, [table]).map(({ change }) => change))
      }
      await shard.apply({ table, changes, watermark: records.length })
    }
    return shard
  }

  async #reach<T>(work: () => Promise<T>): Promise<T> {
    // The outcome comes with the reply: an earlier rejection would have no handler yet.
    const [outcome] = await performWrite(this.#cluster, () => Promise.allSettled([work()]))
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  #remote(): ViewStore {
    const store = this.#store
    const reach = <T>(work: () => Promise<T>) => this.#reach(work)
    return {
      ...store,
      write: async (place) => {
        const shard = await reach(() => store.write(place))
        const remote: WritableShard = { ...shard, apply: (batch) => reach(() => shard.apply(batch)) }
        return remote
      },
    }
  }
}

function vectors(): ViewOptions['vectors'] {
  const embed = async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0))
  return {
    embedder: { vectorSpace, embed, close: async () => {} },
    completions: { follow: async () => {}, lookup: async () => null },
    cache: { find: () => new Map(), keep: async () => {}, forget() {} },
  }
}

async function linesOf(shard: ReadableShard, table: Parameters<ReadableShard['rows']>[0]): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of dumpTable(shard, table)) lines.push(line)
  return lines
}
