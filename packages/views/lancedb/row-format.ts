/**
 * The two formats of a view's rows and packs: in plain columns, which LanceDB searches, or sealed (sealed-rows.ts). The
 * watermark row is plain in both, and names the format.
 */
import type { RecordBatch } from 'apache-arrow'
import { rowKey, type StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { decodeRowsWithVectors, decodeStoredRows, type KeyedRow, packAt, storedColumns } from './arrow.ts'
import { isMark } from './watermark-key.ts'

export interface RowFormat {
  readonly isSealed: boolean
  /** The columns that have an index. */
  readonly indexes: readonly ('key' | 'space' | 'text')[]
  /** Comes before rows or packs of these spaces are stored. */
  prepare(spaces: readonly string[]): Promise<void>
  /** The stored key of a row. @param key by `rowKey` */
  keyOf(key: string): string
  stored(table: Table, row: StoredRow): KeyedRow
  /** The columns of a stored row, with its vector. */
  columns(table: Table): readonly string[]
  /**
   * Rows, and the watermark row if it is among them. A row whose key was destroyed is left out.
   * @param checked `vectors`: rows may differ from their checksums, for a caller that compares the rows themselves
   * @throws LoomlogError `view-corrupt`
   */
  rows(table: Table, batch: RecordBatch, checked: 'rows and vectors' | 'vectors'): Promise<readonly StoredRow[]>
  storedPack(space: string, pack: Uint8Array): Uint8Array
  /** The pack in this row of a batch. Null: its key was destroyed. @throws LoomlogError `view-corrupt` */
  pack(space: string, batch: RecordBatch, at: number): Promise<Uint8Array | null>
}

export const plainRows: RowFormat = {
  isSealed: false,
  indexes: ['key', 'space', 'text'],
  prepare: async () => {},
  keyOf: (key) => key,
  stored: (_table, row) => ({ key: rowKey(row.space, row.id), row }),
  columns: storedColumns,
  async rows(table, batch, checked) {
    // Taking the table over changes the watermark row in place, and not its checksum.
    return checked === 'vectors' ? decodeRowsWithVectors(table, batch) : decodeStoredRows(table, batch, isMark)
  },
  storedPack: (_space, pack) => pack,
  pack: async (_space, batch, at) => packAt(batch, at),
}
