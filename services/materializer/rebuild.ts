/**
 * Makes the tables of a shard anew from the log, up to the offsets that are asked for, beside the ones in use: what they would
 * hold if they are what they should be, a function of the log at their watermark. Rows get no vectors, and nobody is asked.
 */
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { TableName } from '@loomlog/views/catalogue'
import type { RowChange } from '@loomlog/views/change'
import type { WritableShard } from '@loomlog/views/shard'
import { projected } from './projected.ts'

const maxBatch = 1_000

export interface Rebuild {
  readonly log: Log
  readonly codec: Codec
  /** The topic as it is called in the log. */
  readonly source: string
  readonly partition: number
  /** Up to which offset each table is to be made. */
  readonly watermarks: ReadonlyMap<TableName, number>
  /** New, and for nobody else. */
  readonly into: WritableShard
}

export async function rebuild({ log, codec, source, partition, watermarks, into }: Rebuild): Promise<void> {
  const end = Math.max(...watermarks.values())
  const read = log.read({ topic: source, partitions: [partition], until: 'end', maxRecords: maxBatch })
  for await (const records of read) {
    const wanted = records.filter((record) => record.offset < end)
    await apply(wanted, { codec, watermarks, into })
    if (wanted.length < records.length) break
  }
  for (const [table, watermark] of watermarks) await into.apply({ table, changes: [], watermark })
}

async function apply(
  records: readonly LogRecord[],
  { codec, watermarks, into }: Pick<Rebuild, 'codec' | 'watermarks' | 'into'>,
): Promise<void> {
  const changes = new Map<TableName, RowChange[]>()
  for (const record of records) {
    for (const { table, change } of await projected(record, codec)) {
      if (record.offset < (watermarks.get(table) ?? 0)) changes.set(table, [...(changes.get(table) ?? []), change])
    }
  }
  const next = (records.at(-1)?.offset ?? -1) + 1
  for (const [table, all] of changes) {
    await into.apply({ table, changes: all, watermark: Math.min(next, watermarks.get(table) ?? 0) })
  }
}
