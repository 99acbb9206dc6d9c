/** The history of a memory: each record of the log that wrote, changed or retired its row, in the order of the log. */
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { LogEvent } from '@loomlog/schemas/events'
import { lookUp } from '@loomlog/views/look-up'
import type { ViewReader } from '@loomlog/views/reader'
import type { Table } from '@loomlog/views/table'
import { rowById } from './memory-rows.ts'

/** Most changes of one memory that are listed, the first ones. */
const maxChanges = 1_000

export interface MemoryChange {
  /** The type of the event. */
  readonly event: string
  readonly change: 'written' | 'changed' | 'retired' | 'removed'
  /** Log time. */
  readonly at: number
  readonly record: { readonly topic: string; readonly partition: number; readonly offset: number }
}

export interface HistoryOptions {
  readonly log: Pick<Log, 'read'>
  readonly codec: Codec
  readonly views: ViewReader
  readonly signal: AbortSignal
}

/** Reads the partition of the memory's topic up to the last change. @throws LoomlogError `not-found`, `views-behind` */
export async function historyOf(id: string, space: string, options: HistoryOptions): Promise<readonly MemoryChange[]> {
  const { log, codec, views, signal } = options
  const { row, table } = await lookUp({ name: `memory ${id}`, space, views }, () => rowById(id, space, views))
  const { topic, partition } = views.origin(table, space)
  const changes: MemoryChange[] = []
  for await (const records of log.read({ topic, partitions: [partition], until: 'end', signal })) {
    for (const record of records) {
      if (record.offset > row.offset || changes.length >= maxChanges) return changes
      const event = record.key === space ? await codec.decodeOwn(record.value) : null
      if (event !== null) changes.push(...changesBy(event, record, { id, topic, table }))
    }
  }
  return changes
}

function changesBy(
  event: LogEvent,
  { key, partition, offset, timestamp: at }: LogRecord,
  { id, topic, table }: { readonly id: string; readonly topic: string; readonly table: Table },
): readonly MemoryChange[] {
  const projections = table.projections[event.type]?.(event as never, { key, offset }) ?? []
  return projections
    .filter(({ change }) => ('row' in change ? change.row.id : change.id) === id)
    .map(({ change }) => ({
      event: event.type,
      change: nameOf(change),
      at,
      record: { topic, partition, offset },
    }))
}

function nameOf(change: { readonly kind: string; readonly fields?: object }): MemoryChange['change'] {
  if (change.kind === 'put' || change.kind === 'putIfAbsent') return 'written'
  if (change.kind === 'remove') return 'removed'
  return change.fields && 'knownTo' in change.fields ? 'retired' : 'changed'
}
