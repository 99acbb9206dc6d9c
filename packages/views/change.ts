/** The changes that an event can make to a row of a view table, and to all rows of a space. */
import type { Row, StoredRow } from './row.ts'

export type EditableFields<R extends Row> = Partial<Omit<R, 'id' | 'space' | 'offset' | 'deleted'>>

export type RowChange<R extends Row = Row> =
  /** Writes the whole row, over a stored row or a tombstone. */
  | { readonly kind: 'put'; readonly row: StoredRow<R> }
  /**
   * Writes the row unless its key has a row or a tombstone: the first row of a key wins, and a removed row stays
   * removed.
   */
  | { readonly kind: 'putIfAbsent'; readonly row: StoredRow<R> }
  /** Sets some fields; ignored where there is no row, or only a tombstone. */
  | {
      readonly kind: 'patch'
      readonly space: string
      readonly id: string
      readonly fields: EditableFields<R>
      readonly offset: number
    }
  /** Sets fields that follow from the stored row; ignored where there is none, or only a tombstone. Pure. */
  | {
      readonly kind: 'edit'
      readonly space: string
      readonly id: string
      edit(row: StoredRow<R>): EditableFields<StoredRow<R>>
      readonly offset: number
    }
  /** Leaves a tombstone. Ignored where there is no row. */
  | { readonly kind: 'remove'; readonly space: string; readonly id: string; readonly offset: number }

/** Every row and tombstone of the space goes and leaves nothing, as if none had been written. */
export interface SpaceClearing {
  readonly kind: 'clear'
  readonly space: string
  readonly offset: number
}

export type TableChange = RowChange | SpaceClearing
