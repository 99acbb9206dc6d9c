/**
 * A shard of many spaces, filled with synthetic memories through its one writer: the measured space, spaces of 1 to 100 sessions, and forty
 * others with the rest of the rows.
 */
import type { Log } from '@loomlog/log/port'
import { tablesOf, viewId, viewTopics } from '@loomlog/views/catalogue'
import type { RowChange } from '@loomlog/views/change'
import { lanceStore, shardUri } from '@loomlog/views/lancedb'
import type { WritableShard } from '@loomlog/views/port'
import { ViewReader } from '@loomlog/views/reader'
import type { Table } from '@loomlog/views/table'
import { seeded } from '../../seeded.ts'
import { memoryRow, shareOf } from './synthetic-memories.ts'

export const vectorSpace = { name: 'synthetic-512', dimensions: 512 }
export const measured = 'bench/measured'
export const sessionCounts = [1, 3, 10, 30, 100] as const
/** Memories of one session: twenty utterances and the memories derived from them. */
const memoriesPerSession = 40
const rowsPerBatch = 10_000
const otherSpaces = 40

export interface Sizes {
  readonly shard: number
  readonly space: number
}

export function sessionsSpace(sessions: number): string {
  return `bench/${sessions}-sessions`
}

const sources: ReadonlyMap<string, string> = new Map(
  viewTopics().map(({ name }) => [name, name === 'utterances' ? name : `${name}.synthetic`]),
)

export function openReader(views: string): ViewReader {
  return new ViewReader({ store: lanceStore(views), vectorSpace, partitions: 1, sources })
}

const viewOf = (topic: string) => viewId(sources.get(topic) ?? topic, vectorSpace.name)

export function uriOf(views: string, topic: string): string {
  return shardUri(views, { view: viewOf(topic), partition: 0 })
}

export function openToWrite(views: string, topic: string): Promise<WritableShard> {
  return lanceStore(views).write({ view: viewOf(topic), partition: 0, tables: tablesOf(topic), vectorSpace })
}

/** The smallest shard that has room for the other spaces too. */
export const leastShard = ({ space }: Pick<Sizes, 'space'>) =>
  2 * (space + memoriesPerSession * sessionCounts.reduce((sum, sessions) => sum + sessions, 0))

/** Appends records without a space: a view is never ahead of its log. */
export async function fillLog(log: Log, count: number): Promise<void> {
  const filler = { key: null, partition: 0, value: new Uint8Array(), timestamp: 0 }
  for (let left = count; left > 0; left -= rowsPerBatch) {
    await log.append('utterances', Array(Math.min(left, rowsPerBatch)).fill(filler))
  }
}

/** The rows of a table in a shard, which are also its watermark. */
export function rowsOf(table: Table, { shard }: Pick<Sizes, 'shard'>): number {
  return Math.ceil((shard * shareOf(table)) / 100)
}

export async function fillShards(views: string, sizes: Sizes): Promise<void> {
  for (const { name: topic } of viewTopics()) {
    const shard = await openToWrite(views, topic)
    for (const table of tablesOf(topic)) await fill(shard, table, sizes)
    await shard.optimize()
    await shard.close()
  }
}

async function fill(shard: WritableShard, table: Table, sizes: Sizes): Promise<void> {
  const random = seeded(table.name.length * 7 + table.name.charCodeAt(0))
  const count = rowsOf(table, sizes)
  const spaceOf = spacesOf(count, sizes)
  for (let from = 0; from < count; from += rowsPerBatch) {
    const to = Math.min(count, from + rowsPerBatch)
    const changes: RowChange[] = []
    for (let n = from; n < to; n++) {
      changes.push({ kind: 'put', row: memoryRow(table, n, spaceOf(n), vectorSpace.dimensions, random) })
    }
    await shard.apply({ table, changes, watermark: to })
  }
}

/** The space of each row: rows of a space are spread over the whole table, as with many concurrent writers. */
function spacesOf(count: number, sizes: Sizes): (n: number) => string {
  const wanted = [
    { space: measured, share: sizes.space / sizes.shard },
    ...sessionCounts.map((sessions) => ({
      space: sessionsSpace(sessions),
      share: (sessions * memoriesPerSession) / sizes.shard,
    })),
  ]
  const spaces = new Array<string>(count)
  for (const { space, share } of wanted) {
    const rows = Math.round(share * count)
    for (let n = 0; n < rows; n++) {
      let at = Math.floor((n * count) / rows)
      while (spaces[at] !== undefined) at = (at + 1) % count
      spaces[at] = space
    }
  }
  return (n) => spaces[n] ?? `bench/other-${n % otherSpaces}`
}
