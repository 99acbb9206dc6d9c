/**
 * A shard of many spaces, filled with synthetic memories through its one writer: the measured space, and forty others.
 */
import type { Log } from '@loomlog/log/port'
import { tablesOf, viewId, viewTopics } from '@loomlog/views/catalogue'
import type { RowChange } from '@loomlog/views/change'
import { lanceStore, shardUri } from '@loomlog/views/lancedb'
import type { WritableShard } from '@loomlog/views/port'
import { ViewReader } from '@loomlog/views/reader'
import type { SpaceCache } from '@loomlog/views/space-cache'
import type { Table } from '@loomlog/views/table'
import { seededRandom } from '../../seeded-random.ts'
import { memoryRow, shareOf } from './synthetic-memories.ts'

export const vectorSpace = { name: 'synthetic-512', dimensions: 512 }
export const measuredSpace = 'bench/measured'
const rowsPerBatch = 10_000
/** The batch size of the materializer for old records. */
const rowsPerMerge = 1_024
const otherSpaces = 40

export interface Sizes {
  readonly shard: number
  readonly space: number
}

const sources: ReadonlyMap<string, string> = new Map(
  viewTopics().map(({ name }) => [name, name === 'utterances' ? name : `${name}.synthetic`]),
)

/** @param cache null: every search reads the tables */
export function openReader(views: string, cache: SpaceCache | null): ViewReader {
  return new ViewReader({ store: lanceStore(views), vectorSpace, partitions: 1, sources, ...(cache && { cache }) })
}

const viewOf = (topic: string) => viewId(sources.get(topic) ?? topic, vectorSpace.name)

export function uriOf(views: string, topic: string): string {
  return shardUri(views, { view: viewOf(topic), partition: 0 })
}

export function openShardWriter(views: string, topic: string): Promise<WritableShard> {
  return lanceStore(views).write({ view: viewOf(topic), partition: 0, tables: tablesOf(topic), vectorSpace })
}

/** Appends records without a space, since a view is never ahead of its log. */
export async function fillLog(log: Log, count: number): Promise<void> {
  const filler = { key: null, partition: 0, value: new Uint8Array(), timestamp: 0 }
  for (let left = count; left > 0; left -= rowsPerBatch) {
    await log.append('utterances', Array(Math.min(left, rowsPerBatch)).fill(filler))
  }
}

/** The number of rows of a table in a shard; it is also the watermark. */
export function rowsOf(table: Table, { shard }: Pick<Sizes, 'shard'>): number {
  return Math.ceil((shard * shareOf(table)) / 100)
}

export async function fillShards(views: string, sizes: Sizes): Promise<void> {
  for (const { name: topic } of viewTopics()) {
    const shard = await openShardWriter(views, topic)
    for (const table of tablesOf(topic)) await fill(shard, table, sizes)
    await shard.optimize()
    await shard.close()
  }
}

async function fill(shard: WritableShard, table: Table, sizes: Sizes): Promise<void> {
  const random = seededRandom(table.name.length * 7 + table.name.charCodeAt(0))
  const count = rowsOf(table, sizes)
  const spaceOf = spacesOf(count, sizes)
  for (let from = 0; from < count; from += rowsPerMerge) {
    const to = Math.min(count, from + rowsPerMerge)
    const changes: RowChange[] = []
    for (let n = from; n < to; n++) {
      changes.push({ kind: 'put', row: memoryRow(table, n, spaceOf(n), vectorSpace.dimensions, random) })
    }
    await shard.apply({ table, changes, watermark: to })
  }
}

/** The space of each row. Rows of a space are spread over the whole table, as with many concurrent writers. */
function spacesOf(count: number, sizes: Sizes): (n: number) => string {
  const rows = Math.round((sizes.space / sizes.shard) * count)
  const isMeasured = new Set(Array.from({ length: rows }, (_, n) => Math.floor((n * count) / rows)))
  return (n) => (isMeasured.has(n) ? measuredSpace : `bench/other-${n % otherSpaces}`)
}
