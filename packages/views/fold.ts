/**
 * Folds a batch of changes into the rows to be written: pure, so that the result depends on the order of the changes
 * alone and never on where a batch begins or ends.
 */
import type { EditableFields, RowChange } from './change.ts'
import { rowKey, type StoredRow } from './row.ts'
import { emptyRow, type Table } from './table.ts'

export function changeOffset(change: RowChange): number {
  return 'row' in change ? change.row.offset : change.offset
}

function changeKey(change: RowChange): string {
  return 'row' in change ? rowKey(change.row.space, change.row.id) : rowKey(change.space, change.id)
}

/** The keys whose stored rows the fold of these changes needs. */
export function keysToRead(changes: readonly RowChange[]): string[] {
  return [...new Set(changes.filter((change) => change.kind !== 'put').map(changeKey))]
}

/** The rows to write, one per key. @param stored the table's rows and tombstones under `keysToRead` */
export function fold(
  table: Table,
  changes: readonly RowChange[],
  stored: ReadonlyMap<string, StoredRow>,
): ReadonlyMap<string, StoredRow> {
  const rows = new Map<string, StoredRow>()
  for (const change of changes) {
    const key = changeKey(change)
    const row = rowAfter(table, change, rows.get(key) ?? stored.get(key))
    if (row) rows.set(key, row)
  }
  return rows
}

function rowAfter(table: Table, change: RowChange, row: StoredRow | undefined): StoredRow | undefined {
  switch (change.kind) {
    case 'put':
      return change.row
    case 'putIfAbsent':
      return row ? undefined : change.row
    case 'patch':
      return row && !row.deleted ? patched(row, change.fields, change.offset) : undefined
    case 'edit':
      return row && !row.deleted ? patched(row, change.edit(row), change.offset) : undefined
    case 'remove':
      return row && tombstone(table, row, change.offset)
  }
}

/** `knownTo` is set once: the first retirement wins, and later changes keep its log time. */
function patched(row: StoredRow, fields: EditableFields<StoredRow>, offset: number): StoredRow {
  return { ...row, ...fields, knownTo: row.knownTo ?? fields.knownTo ?? null, offset }
}

/** A tombstone keeps the row's numbers and times; every column that can hold people's words is empty. */
function tombstone(table: Table, row: StoredRow, offset: number): StoredRow {
  const { id, space } = row
  const numbers = Object.entries(row).filter(([field]) => table.allColumns[field]?.kind.startsWith('number'))
  return { ...emptyRow(table), ...Object.fromEntries(numbers), id, space, offset, deleted: true } as StoredRow
}
