/**
 * A hidden row of a table that owes an erasure: a merge has cleared a space, and earlier versions of the table still
 * hold its rows. The merge itself writes it, so that a writer that dies before the erasure leaves it to the next one.
 */
import type { Table as LanceTable } from '@lancedb/lancedb'
import type { StoredRow } from '../row.ts'
import { emptyRow, type Table } from '../table.ts'
import type { KeyedRow } from './arrow.ts'
import type { Maintenance } from './maintenance.ts'
import { literal } from './sql.ts'

/** Without a slash, so that it is no memory's key. */
const key = '#unerased'
const isUnerased = `key = ${literal(key)}`

/** @param offset of the last clearing */
export function unerasedRow(table: Table, offset: number): KeyedRow {
  // In no space, and deleted, so that no search finds it.
  const row: StoredRow = { ...emptyRow(table), id: key, space: '', deleted: true, offset }
  return { key, row }
}

/** Erases what cleared spaces have left in files, if the table owes it. */
export async function eraseIfOwed(on: LanceTable, maintenance: Maintenance): Promise<void> {
  if ((await on.countRows(isUnerased)) === 0) return
  await maintenance.erase()
  await on.delete(isUnerased)
}
