/**
 * Folds a batch of changes into the rows to be written: pure, so that the result depends on the order of the changes
 * alone and never on where a batch begins or ends.
 */
import type { EditableFields, RowChange, TableChange } from './change.ts'
import { rowKey, type StoredRow } from './row.ts'
import { emptyRow, type Table } from './table.ts'

export function changeOffset(change: TableChange): number {
  return 'row' in change ? change.row.offset : change.offset
}

/** Changes of rows, and the spaces whose stored rows go before them. */
export interface ClearedChanges {
  readonly changes: readonly RowChange[]
  readonly cleared: ReadonlySet<string>
}

/** Leaves out the changes that a later clearing of their space makes void. */
export function afterClearings(changes: readonly TableChange[]): ClearedChanges {
  const last = new Map<string, number>()
  for (const [at, change] of changes.entries()) if (change.kind === 'clear') last.set(change.space, at)
  const isKept = (change: TableChange, at: number) => at > (last.get(spaceOf(change)) ?? -1)
  const kept = changes.filter((change, at): change is RowChange => change.kind !== 'clear' && isKept(change, at))
  return { changes: kept, cleared: new Set(last.keys()) }
}

function spaceOf(change: TableChange): string {
  return 'row' in change ? change.row.space : change.space
}

function changeKey(change: RowChange): string {
  return 'row' in change ? rowKey(change.row.space, change.row.id) : rowKey(change.space, change.id)
}

/** The keys whose stored rows the fold of these changes needs. */
export function keysToRead({ changes, cleared }: ClearedChanges): string[] {
  const wanted = changes.filter((change) => change.kind !== 'put' && !cleared.has(spaceOf(change)))
  return [...new Set(wanted.map(changeKey))]
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
