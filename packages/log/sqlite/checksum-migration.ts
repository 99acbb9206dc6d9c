/**
 * Computes the missing checksums of a file from before there were checksums. Each step is a transaction of its own, so
 * that no write waits for the whole log, and after a crash the next process to open the file does the rest. Earlier
 * damage goes unnoticed.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

export interface FilledTable {
  readonly name: string
  /** In the order in which the checksum covers them. */
  readonly columns: string
  readonly primaryKey: readonly string[]
}

/** The checksum of a row that has none yet; a CRC-32 is not negative. */
export const missingChecksum = -1
const rowsOfAStep = 10_000

export function fillChecksums(db: DatabaseSync, { name, columns, primaryKey }: FilledTable): void {
  const key = primaryKey.join(', ')
  const given = primaryKey.map(() => '?').join(', ')
  const isMissing = `checksum = ${missingChecksum}`
  const first = db.prepare(`select ${key} from ${name} where ${isMissing} order by ${key} limit 1`)
  const last = db.prepare(
    `select ${key} from ${name} where (${key}) >= (${given}) order by ${key} limit 1 offset ${rowsOfAStep - 1}`,
  )
  const next = db.prepare(
    `select ${key} from ${name} where (${key}) > (${given}) and ${isMissing} order by ${key} limit 1`,
  )
  const fill = `update ${name} set checksum = checksum(${columns}) where ${isMissing} and (${key}) >= (${given})`
  const keyOf = (row: { readonly [column: string]: SQLInputValue } | undefined) =>
    row === undefined ? null : primaryKey.map((column) => row[column] as SQLInputValue)
  for (let from = keyOf(first.get()); from !== null; ) {
    const to = keyOf(last.get(...from))
    // One statement is one transaction.
    if (to === null) db.prepare(fill).run(...from)
    else db.prepare(`${fill} and (${key}) <= (${given})`).run(...from, ...to)
    from = to === null ? null : keyOf(next.get(...to))
  }
}
