/** The columns that every view table has, which recall filters, orders and searches by; and how a row is identified. */
import type { Lineage } from '@loomlog/schemas/events'
import { type Columns, flag, json, number, optionalNumber, text, texts, type ValuesOf } from './column.ts'
import { isNull } from './condition.ts'

export const sharedColumns = {
  id: text(),
  /** `tenant/space` */
  space: text(),
  conversation: text(),
  /** For display: speakers separated by commas. */
  speaker: text(),
  /** Every speaker by itself, in the form of `alikeName`, for filters. */
  speakers: texts(),
  /** The text of full-text search. */
  text: text(),
  /** Ids of the utterances, or of the corrections, that the row goes back to. */
  sources: texts(),
  /** The writer's own labels of an utterance, as `labelOf` writes them. */
  labels: texts(),
  /** Null: a source event. */
  lineage: json<LineageJson | null>(null),
  seq: number,
  ordinal: number,
  /** Event time: when the speaker said it. */
  at: optionalNumber,
  /** Event time: from when and until when the statement is held to be true; `validTo` null: still. */
  validFrom: optionalNumber,
  validTo: optionalNumber,
  /** Log time: from when and until when the memory knew it; `knownTo` null: still. */
  knownFrom: number,
  knownTo: optionalNumber,
  /** The offset, in the source partition, of the record that changed the row last. */
  offset: number,
  /** Marks a tombstone, which holds no words of people. */
  deleted: flag,
} satisfies Columns

type LineageJson = Pick<Lineage, keyof Lineage>
export type SharedColumns = typeof sharedColumns

/** A row with the shared columns, and a table's own ones. */
export type Row<C extends Columns = Record<never, never>> = ValuesOf<SharedColumns> & ValuesOf<C>

/** A row as it is written: with its vector. */
export type StoredRow<R extends Row = Row> = R & { readonly vector: Float32Array | null }

/** `space` is `tenant/space`, neither part with a slash, so the first two slashes of a key end the parts. */
export function rowKey(space: string, id: string): string {
  if (space.split('/').length !== 2) throw new Error(`a space is named tenant/space, not ${JSON.stringify(space)}`)
  // Well-formed, as stores write it: half a surrogate pair must not be one key here and another in the table.
  return `${space}/${id}`.toWellFormed()
}

/** Rows that the memory knows now: not retired. */
export const current = isNull('knownTo')

/** A label of an utterance, as the column `labels` holds it. */
export function labelOf(name: string, value: string): string {
  return JSON.stringify([name, value])
}
