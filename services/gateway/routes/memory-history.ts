/**
 * The history of a memory, in pages: each record of the log that wrote, changed or retired its row, in the order of the
 * log.
 */
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { LogEvent } from '@loomlog/schemas/events'
import { lookUp } from '@loomlog/views/look-up'
import type { ViewReader } from '@loomlog/views/reader'
import type { Table } from '@loomlog/views/table'
import { rowById } from './memory-rows.ts'
import { cursorOf, type PageRequest, type SortKey, sortKeyFrom } from './page-cursor.ts'

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
  /** Where a space begins in a topic, while a forgetting is under way there; else 0. */
  beginningOf(space: string, topic: string): Promise<number>
  readonly signal: AbortSignal
}

interface HistoryPage {
  readonly changes: readonly MemoryChange[]
  /** Null: the history ends here. */
  readonly next: string | null
}

/**
 * Reads the partition of the memory's topic up to the last change, or until the page is full.
 * @throws LoomlogError `not-found`, `views-behind`, `input-invalid` for a cursor of another list
 */
export async function historyOf(
  id: string,
  space: string,
  page: PageRequest,
  options: HistoryOptions,
): Promise<HistoryPage> {
  const list = `history ${space} ${id}`
  const [offset = 0, ordinal = -1] = (sortKeyFrom(list, page, ['number', 'number']) ?? []).map(Number)
  const changes: MemoryChange[] = []
  let last: SortKey = []
  for await (const { change, key } of changesFrom(offset, id, space, options)) {
    if (change.record.offset === offset && key[1] <= ordinal) continue
    if (changes.length === page.limit) return { changes, next: cursorOf(list, last) }
    changes.push(change)
    last = key
  }
  return { changes, next: null }
}

interface KeyedChange {
  readonly change: MemoryChange
  /** The offset of its record, and its place among the changes by this record. */
  readonly key: readonly [number, number]
}

async function* changesFrom(
  offset: number,
  id: string,
  space: string,
  { log, codec, views, beginningOf, signal }: HistoryOptions,
): AsyncGenerator<KeyedChange> {
  const { row, table } = await lookUp({ name: `memory ${id}`, space, views }, () => rowById(id, space, views))
  const { topic, partition } = views.origin(table, space)
  const from = Math.max(offset, await beginningOf(space, topic))
  if (from > row.offset) return
  const place = { topic, partitions: [partition], from: new Map([[partition, from]]) }
  for await (const records of log.read({ ...place, until: 'end', signal })) {
    for (const record of records) {
      if (record.offset > row.offset) return
      const event = record.key === space ? await codec.decodeOwn(record.value) : null
      const changes = event === null ? [] : changesBy(event, record, { id, topic, table })
      for (const [at, change] of changes.entries()) yield { change, key: [record.offset, at] }
    }
  }
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
