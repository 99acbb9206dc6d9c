/** A record's changes to the tables of its view. */
import { isLoomlogError } from '@loomlog/errors'
import type { LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { type Projected, project } from './projections.ts'

/** Bytes that can't be read are parked by the stage that reads the topic; a view has nothing to show of them. */
export async function projected(record: LogRecord, codec: Codec): Promise<readonly Projected[]> {
  try {
    return project(await codec.decode(record.value), record)
  } catch (error) {
    if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return []
    throw error
  }
}
