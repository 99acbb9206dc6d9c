/**
 * The parts of every table's projections: the shared columns of an event, and the changes that an event makes to a row.
 */
import { alikeName } from '@loomlog/language/alike-name'
import type { DerivedRecord, SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { RowChange } from './change.ts'
import type { StoredRow } from './row.ts'
import { type Row, sharedColumns } from './row.ts'
import type { Projection, RecordPosition } from './table.ts'

/** The shared columns, each with its empty value. */
const emptyShared = Object.fromEntries(
  Object.entries(sharedColumns).map(([field, { empty }]) => [field, empty]),
) as StoredRow

interface InSpace {
  readonly tenant: string
  readonly space: string
}

/** A source event has no seq, which the first stage assigns: readers order these rows by time. */
export function sourceRow(event: Extract<SourceEvent, { appendedAt: number }>, { offset }: RecordPosition): StoredRow {
  const { id, tenant, space, at, appendedAt: knownFrom } = event
  return { ...emptyShared, id, space: spaceKey(tenant, space), at, knownFrom, offset, vector: null }
}

export function derivedRow(event: DerivedRecord, { offset }: RecordPosition): StoredRow {
  const { id, tenant, space, seq, ordinal, knownAt: knownFrom, lineage } = event
  return { ...emptyShared, id, space: spaceKey(tenant, space), seq, ordinal, knownFrom, lineage, offset, vector: null }
}

/** The columns that name speakers. */
export function speakerColumns(...names: readonly string[]): Pick<Row, 'speaker' | 'speakers'> {
  const distinct = [...new Set(names)]
  return { speaker: distinct.join(', '), speakers: distinct.map(alikeName) }
}

/** @param embed the row's vector is the mean of the vectors of these texts */
export function put<R extends Row>(row: StoredRow<R>, embed: readonly string[] = []): Projection<R> {
  return { change: { kind: 'put', row }, embed }
}

export function putIfAbsent<R extends Row>(row: StoredRow<R>, embed: readonly string[] = []): Projection<R> {
  return { change: { kind: 'putIfAbsent', row }, embed }
}

/** Retires a row: its words stay, and its `knownTo` is set. */
export function retire<R extends Row>(id: string, place: InSpace & { knownAt: number }, record: RecordPosition) {
  return patch<R>(id, place, record, { knownTo: place.knownAt } as PatchOf<R>)
}

type ChangeOf<R extends Row, K extends RowChange['kind']> = Extract<RowChange<R>, { kind: K }>
type PatchOf<R extends Row> = ChangeOf<R, 'patch'>['fields']

export function patch<R extends Row>(
  id: string,
  { tenant, space }: InSpace,
  { offset }: RecordPosition,
  fields: PatchOf<R>,
): Projection<R> {
  return { change: { kind: 'patch', space: spaceKey(tenant, space), id, fields, offset }, embed: [] }
}

/** @param change the fields that follow from the stored row */
export function edit<R extends Row>(
  id: string,
  { tenant, space }: InSpace,
  { offset }: RecordPosition,
  change: ChangeOf<R, 'edit'>['edit'],
): Projection<R> {
  return { change: { kind: 'edit', space: spaceKey(tenant, space), id, edit: change, offset }, embed: [] }
}
