/**
 * Checksums of rows: a CRC-32 over every column that a reader relies on, the row's place included, so that a flipped bit and a row in
 * another row's place are both noticed. SQLite itself has none.
 */
import type { SQLInputValue } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { LogRecord } from '../port.ts'

/** The checksum of any row, also the SQL function `checksum(column, …)`. */
export function checksum(...columns: readonly SQLInputValue[]): number {
  let crc = 0
  let text = ''
  for (const column of columns) {
    if (!(column instanceof Uint8Array)) text += `${column}\n`
    else {
      crc = crc32(column, crc32(text, crc))
      text = ''
    }
  }
  return crc32(text, crc)
}

export function recordChecksum(topic: number, record: Omit<LogRecord, 'topic'>): number {
  const { partition, offset, timestamp, key, value, traceparent } = record
  const columns = [topic, partition, offset, timestamp, key, value]
  // Records without a trace have the checksums that they had before there were traces.
  return traceparent === undefined ? checksum(...columns) : checksum(...columns, traceparent)
}

export function stateChecksum(lease: number, key: string, value: Uint8Array): number {
  return checksum(lease, key, value)
}
