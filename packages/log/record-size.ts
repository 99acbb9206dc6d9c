/**
 * The limit on a record's value, checked before anything is written, so that one record too large changes nothing.
 */
import { LoomlogError } from '@loomlog/errors'
import { maxRecordBytes, type NewRecord } from './port.ts'

/** @throws LoomlogError `record-too-large`, naming topic, key, size and limit */
export function checkRecordSize(topic: string, record: NewRecord): void {
  const size = record.value.byteLength
  if (size <= maxRecordBytes) return
  const key = record.key === null ? 'no key' : `key ${record.key}`
  throw new LoomlogError(
    'record-too-large',
    `a record for ${topic} with ${key} has ${size} bytes; the limit is ${maxRecordBytes}`,
  )
}
