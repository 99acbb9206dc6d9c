/**
 * The kinds of column that a view table may have. A column knows the type of its values and its empty value, which a
 * row has until an event fills it in and a tombstone has again. Stores encode columns by kind; they know nothing else
 * of a table's meaning.
 */
import type { Json } from '@loomlog/schemas/ids'

/**
 * `?`: may be null. Conditions compare every kind but `json`, which is stored as text; of `json` they test only for
 * null.
 */
export type ColumnKind = 'text' | 'text?' | 'number' | 'number?' | 'flag' | 'texts' | 'json'

export interface Column<T = unknown> {
  readonly kind: ColumnKind
  readonly empty: T
}

export type Columns = { readonly [field: string]: Column }

/** The values of these columns, by field. */
export type ValuesOf<C extends Columns> = { readonly [F in keyof C]: C[F] extends Column<infer T> ? T : never }

export function text<T extends string = string>(): Column<T> {
  return { kind: 'text', empty: '' as T }
}

export function texts(): Column<readonly string[]> {
  return { kind: 'texts', empty: [] }
}

/** For values that no condition looks into: an object, a list of objects, or null. */
export function json<T extends Json>(empty: T): Column<T> {
  return { kind: 'json', empty }
}

export const optionalText: Column<string | null> = { kind: 'text?', empty: null }
export const number: Column<number> = { kind: 'number', empty: 0 }
/** Times are ms since the epoch. */
export const optionalNumber: Column<number | null> = { kind: 'number?', empty: null }
export const flag: Column<boolean> = { kind: 'flag', empty: false }
