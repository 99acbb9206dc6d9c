/** The changes that an event makes to the tables of its view. Pure: it names the texts to embed, and the materializer embeds them. */
import type { LoomEvent } from '@loomlog/schemas/events'
import { tablesOf } from './catalogue.ts'
import type { Row } from './row.ts'
import type { Projection, RecordPlace, Table } from './table.ts'

export interface TableProjection extends Projection<Row> {
  readonly table: Table
}

/**
 * Source events ride along in derived topics and change nothing there: only the tables of the record's own topic are asked.
 * @param record where the event stands; its topic as it is called in the log
 */
export function project(
  event: LoomEvent,
  record: RecordPlace & { readonly topic: string },
): readonly TableProjection[] {
  const [topic = ''] = record.topic.split('.')
  return tablesOf(topic).flatMap((table) => {
    const changes = table.projections[event.type] as
      | ((event: LoomEvent, at: RecordPlace) => readonly Projection<Row>[])
      | undefined
    return changes?.(event, record).map((projection) => ({ ...projection, table })) ?? []
  })
}
