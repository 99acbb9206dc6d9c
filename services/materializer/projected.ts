/** A record's changes to the tables of its view. */
import { isLoomlogError } from '@loomlog/errors'
import type { LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { type TableName, viewTables, viewTopics } from '@loomlog/views/catalogue'
import { type Projected, project } from './projections.ts'

/** Bytes that can't be read are parked by the stage that reads the topic; a view has nothing to show of them. */
export async function projected(record: LogRecord, codec: Codec): Promise<readonly Projected[]> {
  try {
    const event = await codec.decode(record.value)
    return project(event, record).filter(({ table }) => isShownBy(record.topic, table))
  } catch (error) {
    if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return []
    throw error
  }
}

/** Source events ride along in derived topics, and are shown in the view of the utterances alone. */
function isShownBy(source: string, table: TableName): boolean {
  const topic = viewTopics.find((name) => source === name || source.startsWith(`${name}.`))
  return topic !== undefined && viewTables[topic].some((own) => own === table)
}
