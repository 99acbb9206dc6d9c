/**
 * Checksums of rows: a CRC-32 over every column that a reader relies on, the row's place included, so that a flipped
 * bit and a row in another row's place are both noticed. SQLite itself has none.
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

/** `checksum` of a record's columns, with fewer allocations: every write and read of a record computes it. */
export function recordChecksum(
  topic: number,
  partition: number,
  offset: number,
  { timestamp, key, value, traceparent }: Omit<LogRecord, 'topic' | 'partition' | 'offset'>,
): number {
  const crc = crc32(value, crc32(`${topic}\n${partition}\n${offset}\n${timestamp}\n${key}\n`))
  // Records without a trace have the checksums that they had before there were traces.
  return traceparent === undefined ? crc : crc32(`${traceparent}\n`, crc)
}

/** `checksum` of a state record's columns. */
export function stateChecksum(lease: number, key: string, value: Uint8Array): number {
  return crc32(value, crc32(`${lease}\n${key}\n`))
}
