/**
 * The definition of a view table: one value that says everything about it. The topic it is made from, its columns, what
 * each event changes in it, and how its rows appear in recall, `why`, `impact` and undo. All of those iterate the list
 * in tables/tables.ts, and a definition that lacks a part does not compile.
 */
import type { LoomEvent } from '@loomlog/schemas/events'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import type { RowChange } from './change.ts'
import type { Columns } from './column.ts'
import { type Condition, equals } from './condition.ts'
import { type Row, type SharedColumns, type StoredRow, sharedColumns } from './row.ts'

/** The place of an event in its topic. */
export interface RecordPosition {
  /** The record's key. */
  readonly key: string | null
  readonly offset: number
}

/**
 * A change of one row, and the texts whose mean is the row's vector. Without texts the row has no vector, and is found
 * by its words.
 */
export interface Projection<R extends Row> {
  readonly change: RowChange<R>
  readonly embed: readonly string[]
}

type EventType = LoomEvent['type']

/** The changes that an event makes, by type of event. Pure. An extension annotates the type of its own events. */
export type Projections<R extends Row> = {
  readonly [T in EventType]?: (
    event: Extract<LoomEvent, { type: T }>,
    record: RecordPosition,
  ) => readonly Projection<R>[]
} & { readonly [other: string]: ((event: never, record: RecordPosition) => readonly Projection<R>[]) | undefined }

export interface TableSpec<Name extends string, Kind extends string, C extends Columns> {
  readonly name: Name
  /** The topic that the table is made from. */
  readonly topic: TopicSpec
  /** The table's own columns, beside the shared ones. */
  readonly columns: C
  readonly projections: Projections<Row<C>>
  /** The kinds of memory that recall finds through this table; none: it is only looked up. */
  readonly kinds: readonly Kind[]
  /** Whether the retrieval tools (`loomlog tools`) search it, so that its rows can be cited. */
  readonly isSearchedByTools: boolean
  /** How a row reads as evidence in recall. */
  evidenceText(row: Row<C>): string
  /** How a tool names the row: its label, and where it is. */
  toolLabel(row: Row<C>): string
  /** How a row reads in `why` and `impact`. */
  lineageLine(row: Row<C>): LineageLine
  /** Ids of the rows that it came from. */
  causes(row: Row<C>): readonly string[]
  /**
   * Ids that a row cites as its evidence. `inherited`: a row has none of its own, and rests on the evidence of its
   * cause. `none`: it cites no evidence and inherits none.
   */
  readonly evidence: { cited(row: Row<C>): readonly string[] } | 'inherited' | 'none'
  /** The rows of another table that a row consists of, which then are its causes. Null: it has no parts. */
  readonly partsIn: Parts | null
  /** The reason why a row can't be corrected itself, with the memory to correct instead; null: it can. */
  readonly correctInstead: string | null
}

/** A row that consists of the rows of another table, as a document consists of its entries. */
export interface Parts {
  readonly table: Table
  partsOf(id: string): Condition<Row<Columns>>
  /** The id of the row that a part belongs to. */
  wholeOf(part: Row): string
}

/** @param column of the parts: holds the id of the whole */
export function partsIn<T extends Table>(table: T, column: keyof RowOf<T> & string): Parts {
  return {
    table,
    partsOf: (id) => equals(column, id) as Condition<Row<Columns>>,
    wholeOf: (part) => (part as Row<Columns>)[column] as string,
  }
}

export interface LineageLine {
  readonly label: string
  readonly text: string
}

export interface Table<Name extends string = string, Kind extends string = string, C extends Columns = Columns>
  extends TableSpec<Name, Kind, C> {
  /** All columns, the shared ones first. */
  readonly allColumns: SharedColumns & C
}

export type RowOf<T extends Table> = T extends Table<string, string, infer C> ? Row<C> : never

/** @throws where an own column has the name of a shared one, since filters would read it instead */
export function defineTable<Name extends string, Kind extends string, C extends Columns>(
  spec: TableSpec<Name, Kind, C>,
): Table<Name, Kind, C> {
  const duplicate = Object.keys(spec.columns).find((name) => name in sharedColumns)
  if (duplicate !== undefined) {
    const remedy = 'give it another name, or fill in the shared one'
    throw new Error(`the table ${spec.name} has a column ${duplicate}, which every table has: ${remedy}`)
  }
  return { ...spec, allColumns: { ...sharedColumns, ...spec.columns } }
}

const emptyRows = new WeakMap<Table, StoredRow>()

/** The row of empty values of a table, to be spread into another. */
export function emptyRow<T extends Table>(table: T): StoredRow<RowOf<T>> {
  const known = emptyRows.get(table)
  if (known !== undefined) return known as StoredRow<RowOf<T>>
  const values = Object.entries(table.allColumns).map(([field, { empty }]) => [field, empty])
  const row = { ...Object.fromEntries(values), vector: null } as StoredRow<RowOf<T>>
  emptyRows.set(table, row)
  return row
}
