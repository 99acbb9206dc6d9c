/**
 * The changes that an event makes to the tables of its view. Pure: it names the texts to embed, and the materializer
 * embeds them.
 */
import { isEvent, type LogEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { SpaceClearing } from './change.ts'
import type { Row } from './row.ts'
import type { Projection, RecordPosition, Table } from './table.ts'

export interface RowProjection extends Projection<Row> {
  readonly table: Table
}

/** A change of a row, or the removal of a space's rows. */
export type TableProjection = RowProjection | { readonly table: Table; readonly change: SpaceClearing }

/** As `project`; a forgetting, which makes everything before it in its space void, clears the space in every table. */
export function projectAll(
  event: LogEvent,
  record: RecordPosition,
  tables: Iterable<Table>,
): readonly TableProjection[] {
  if (!isEvent('SubjectForgotten', event)) return project(event, record, tables)
  const change = { kind: 'clear', space: spaceKey(event.tenant, event.space), offset: record.offset } as const
  return [...tables].map((table) => ({ table, change }))
}

/**
 * @param tables those of the record's topic: source events ride along in derived topics and change nothing in other
 * tables
 */
export function project(event: LogEvent, record: RecordPosition, tables: Iterable<Table>): readonly RowProjection[] {
  return [...tables].flatMap((table) => {
    const changes = table.projections[event.type] as
      | ((event: LogEvent, at: RecordPosition) => readonly Projection<Row>[])
      | undefined
    return changes?.(event, record).map((projection) => ({ ...projection, table })) ?? []
  })
}
