/**
 * Changes to the rows of a table, and how a batch of them folds into the rows to be written: pure, so that the result depends on
 * the order of the changes alone and never on where a batch begins or ends.
 */
import { type Row, rowKey } from './row.ts'

export type RowChange =
  /** Writes the whole row, whatever stood there; also over a tombstone. */
  | { readonly kind: 'put'; readonly row: Row }
  /** The first one of a key wins, and a tombstone counts: what was removed doesn't come back this way. */
  | { readonly kind: 'putIfAbsent'; readonly row: Row }
  /** Changes some fields; ignored where there is no row, or only a tombstone. */
  | {
      readonly kind: 'patch'
      readonly space: string
      readonly id: string
      readonly fields: Partial<Omit<Row, 'id' | 'space' | 'offset' | 'deleted'>>
      /** Set in the payload, beside what it holds. */
      readonly payload?: object
      readonly offset: number
    }
  /** Makes another row of the one that stands there; ignored where there is none, or only a tombstone. Pure. */
  | {
      readonly kind: 'edit'
      readonly space: string
      readonly id: string
      readonly edit: (row: Row) => Row
      readonly offset: number
    }
  /** Leaves a tombstone: the row's identity, without anything anyone said. Ignored where there is no row. */
  | { readonly kind: 'remove'; readonly space: string; readonly id: string; readonly offset: number }

export function changeOffset(change: RowChange): number {
  return 'row' in change ? change.row.offset : change.offset
}

function changeKey(change: RowChange): string {
  return 'row' in change ? rowKey(change.row.space, change.row.id) : rowKey(change.space, change.id)
}

/** Keys whose stored rows must be known to fold these changes. */
export function keysToRead(changes: readonly RowChange[]): string[] {
  return [...new Set(changes.filter((change) => change.kind !== 'put').map(changeKey))]
}

/** The rows to write, one a key. `stored` holds what stands in the table under `keysToRead`. */
export function fold(changes: readonly RowChange[], stored: ReadonlyMap<string, Row>): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>()
  for (const change of changes) {
    const key = changeKey(change)
    const row = changed(change, rows.get(key) ?? stored.get(key))
    if (row) rows.set(key, row)
  }
  return rows
}

function changed(change: RowChange, row: Row | undefined): Row | undefined {
  switch (change.kind) {
    case 'put':
      return change.row
    case 'putIfAbsent':
      return row ? undefined : change.row
    case 'patch':
      return row && !row.deleted ? patched(row, change) : undefined
    case 'edit':
      return row && !row.deleted ? { ...change.edit(row), offset: change.offset } : undefined
    case 'remove':
      return row && { ...row, ...nothingSaid, offset: change.offset, deleted: true }
  }
}

/** Knowledge ends once: a later correction of when it ended to be true does not change since when that was known. */
function patched(row: Row, { fields, payload, offset }: Extract<RowChange, { kind: 'patch' }>): Row {
  const told = payload && { payload: JSON.stringify({ ...JSON.parse(row.payload), ...payload }) }
  return { ...row, ...fields, ...told, knownTo: row.knownTo ?? fields.knownTo ?? null, offset }
}

const nothingSaid = { conversation: '', speaker: '', text: '', payload: '', vector: null } as const
