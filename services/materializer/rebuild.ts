/**
 * Rebuilds the tables of a shard from the log, up to given watermarks, beside the ones in use, so that both can be
 * compared. Rows get no vectors, and no endpoint is called.
 */
import { misplacementOf } from '@loomlog/log/partition'
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { TableChange } from '@loomlog/views/change'
import type { WritableShard } from '@loomlog/views/port'
import { projectAll } from '@loomlog/views/project'
import type { Table } from '@loomlog/views/table'

const maxBatch = 1_000

export interface Rebuild {
  readonly log: Log
  readonly codec: Codec
  /** The topic's name in the log. */
  readonly source: string
  readonly partition: number
  /** Of the topic. */
  readonly partitions: number
  /** Each table is made up to its offset. */
  readonly watermarks: ReadonlyMap<Table, number>
  /** Empty, and without another writer. */
  readonly into: WritableShard
}

export async function rebuild(options: Rebuild): Promise<void> {
  const { log, source, partition, watermarks, into } = options
  const end = Math.max(...watermarks.values())
  const read = log.read({ topic: source, partitions: [partition], until: 'end', maxRecords: maxBatch })
  for await (const records of read) {
    const wanted = records.filter((record) => record.offset < end)
    await apply(wanted, options)
    if (wanted.length < records.length) break
  }
  for (const [table, watermark] of watermarks) await into.apply({ table, changes: [], watermark })
}

async function apply(records: readonly LogRecord[], { codec, partitions, watermarks, into }: Rebuild): Promise<void> {
  const changes = new Map<Table, TableChange[]>([...watermarks.keys()].map((table) => [table, []]))
  for (const record of records) {
    const event = misplacementOf(record, partitions) === null ? await codec.decodeOrNull(record.value) : null
    for (const { table, change } of event === null ? [] : projectAll(event, record, watermarks.keys())) {
      if (record.offset < (watermarks.get(table) ?? 0)) changes.get(table)?.push(change)
    }
  }
  const next = (records.at(-1)?.offset ?? -1) + 1
  for (const [table, all] of changes) {
    if (all.length === 0) continue
    await into.apply({ table, changes: all, watermark: Math.min(next, watermarks.get(table) ?? 0) })
  }
}
