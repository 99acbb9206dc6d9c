/**
 * The changes that an event makes to the tables of its view. Pure: it names the texts to embed, and the materializer
 * embeds them.
 */
import type { LogEvent } from '@loomlog/schemas/events'
import type { Row } from './row.ts'
import type { Projection, RecordPosition, Table } from './table.ts'

export interface TableProjection extends Projection<Row> {
  readonly table: Table
}

/**
 * @param tables those of the record's topic: source events ride along in derived topics and change nothing in other
 * tables
 */
export function project(event: LogEvent, record: RecordPosition, tables: Iterable<Table>): readonly TableProjection[] {
  return [...tables].flatMap((table) => {
    const changes = table.projections[event.type] as
      | ((event: LogEvent, at: RecordPosition) => readonly Projection<Row>[])
      | undefined
    return changes?.(event, record).map((projection) => ({ ...projection, table })) ?? []
  })
}
