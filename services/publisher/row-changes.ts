/**
 * The changes that a derived event makes to memories. They come from the projections of the view tables, so the feed
 * holds exactly the memories that the views hold. Pure.
 */
import { type ChangeReason, isEvent, type LogEvent } from '@loomlog/schemas/events'
import { fold } from '@loomlog/views/fold'
import { project } from '@loomlog/views/project'
import { rowKey, type StoredRow } from '@loomlog/views/row'
import type { RecordPosition, Table } from '@loomlog/views/table'

/** A memory before and after; null: it is not in the memory. */
export interface MemoryDelta {
  readonly table: Table
  readonly id: string
  readonly before: StoredRow | null
  readonly after: StoredRow | null
  /** The row after the event, also if the event retires it. */
  readonly left: StoredRow
  readonly because: ChangeReason
}

/** @param stored the row before the event */
export function rowChanges(
  event: LogEvent,
  record: RecordPosition & { readonly key: string },
  tables: readonly Table[],
  stored: (table: Table, id: string) => StoredRow | undefined,
): readonly MemoryDelta[] {
  const changes: MemoryDelta[] = []
  const current = new Map<string, StoredRow | null>()
  for (const { table, change } of project(event, record, tables)) {
    const { id, space } = 'row' in change ? change.row : change
    if (space !== record.key) continue
    const place = `${table.name}/${id}`
    const before = current.has(place) ? (current.get(place) ?? null) : (stored(table, id) ?? null)
    const key = rowKey(space, id)
    const left = fold(table, [change], before === null ? new Map() : new Map([[key, before]])).get(key)
    if (left === undefined) continue
    const after = left.knownTo === null && !left.deleted ? left : null
    current.set(place, after)
    changes.push({ table, id, before, after, left, because: reasonOf(event, before) })
  }
  return changes
}

function reasonOf(event: LogEvent, before: StoredRow | null): ChangeReason {
  if (isEvent('FactRetracted', event) || isEvent('EventRetracted', event)) return event.cause
  if (isEvent('EntryRetired', event)) return event.reason
  if (isEvent('LinesRetracted', event)) return 'undone'
  return before === null ? 'derived' : 'revised'
}
