/** A record's changes to the tables of its view. */
import { isLoomlogError } from '@loomlog/errors'
import type { LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { LoomEvent } from '@loomlog/schemas/events'
import { type TableName, viewTables, viewTopics } from '@loomlog/views/catalogue'
import { type Projected, project } from './projections.ts'

export async function projected(record: LogRecord, codec: Codec): Promise<readonly Projected[]> {
  const event = await readable(record, codec)
  return event === null ? [] : project(event, record).filter(({ table }) => isShownBy(record.topic, table))
}

/** Null for bytes that can't be read: the stage that reads the topic parks them, and a view has nothing to show of them. */
export async function readable(record: LogRecord, codec: Pick<Codec, 'decode'>): Promise<LoomEvent | null> {
  try {
    return await codec.decode(record.value)
  } catch (error) {
    if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return null
    throw error
  }
}

/** Source events ride along in derived topics, and are shown in the view of the utterances alone. */
function isShownBy(source: string, table: TableName): boolean {
  const topic = viewTopics.find((name) => source === name || source.startsWith(`${name}.`))
  return topic !== undefined && viewTables[topic].some((own) => own === table)
}
