/** Rows and tombstones of a table, without a search. */
import type { Table as LanceTable } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { compareValues } from '../condition.ts'
import type { SpaceChanges } from '../port.ts'
import type { StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { viewError } from './errors.ts'
import { sameWatermark, type TableFormat, watermarkOf } from './fence.ts'
import { checkPacks, readPacks } from './packs.ts'
import type { RowFormat } from './row-format.ts'
import { literal } from './sql.ts'
import { isMark, isWatermark } from './watermark-key.ts'

/**
 * Every row and tombstone, by the bytes of space and id. Checksums of packs and vectors are compared; those of rows are
 * not, since `verify` compares the rows themselves.
 * @throws LoomlogError `view-corrupt`
 */
export async function* everyRow(on: LanceTable, table: Table, format: RowFormat): AsyncGenerator<StoredRow> {
  const bySpace = { columnName: 'space', ascending: true, nullsFirst: false }
  const order = format.isSealed ? [bySpace] : [bySpace, { ...bySpace, columnName: 'id' }]
  const wanted = on
    .query()
    .where(`space <> ''`)
    .select([...format.columns(table)])
    .orderBy(order)
  try {
    await checkPacks(on, format)
    const rows = storedRows(wanted, table, format)
    yield* format.isSealed ? byIdInSpaces(rows) : rows
  } catch (error) {
    throw viewError(table.name, error)
  }
}

async function* storedRows(
  wanted: AsyncIterable<RecordBatch>,
  table: Table,
  format: RowFormat,
): AsyncGenerator<StoredRow> {
  for await (const recordBatch of wanted) yield* await format.rows(table, recordBatch, 'vectors')
}

/** LanceDB can't order sealed ids, so the rows of a space are ordered in memory. @param rows by space */
async function* byIdInSpaces(rows: AsyncIterable<StoredRow>): AsyncGenerator<StoredRow> {
  let ofSpace: StoredRow[] = []
  for await (const row of rows) {
    if (ofSpace[0] !== undefined && ofSpace[0].space !== row.space) {
      yield* ofSpace.sort(byId)
      ofSpace = []
    }
    ofSpace.push(row)
  }
  yield* ofSpace.sort(byId)
}

function byId(a: StoredRow, b: StoredRow): number {
  return compareValues(a.id, b.id)
}

interface ChangesRead {
  readonly space: string
  readonly from: number
  readonly format: TableFormat
}

/** Attempts to read packs and rows at one watermark, before the space is read without its packs. */
const maxTries = 3

/**
 * The changes of a space from one snapshot: its queries find the same watermark. @throws LoomlogError `view-corrupt`
 */
export async function changesIn(on: LanceTable, table: Table, read: ChangesRead): Promise<SpaceChanges> {
  for (let attempt = 1; read.from === 0 && attempt <= maxTries; attempt += 1) {
    const { packs, marks } = await readPacks(on, table, read.space, read.format.rows)
    const from = packs.at(-1)?.pack.until ?? 0
    const { watermark, rows } = await rowsFrom(on, table, { ...read, from })
    if (from === 0 || sameWatermark(watermark, watermarkOf(table, marks, read.format)))
      return { watermark, packs: packs.flatMap(({ block }) => block ?? []), rows }
  }
  return { ...(await rowsFrom(on, table, read)), packs: [] }
}

/** One query, so that the rows and the watermark are of one snapshot. */
async function rowsFrom(on: LanceTable, table: Table, { space, from, format }: ChangesRead) {
  const rows: StoredRow[] = []
  const wanted = on.query().where(`${isWatermark} OR (${writtenFrom(space, from)})`)
  for await (const recordBatch of wanted.select([...format.rows.columns(table)]))
    rows.push(...(await format.rows.rows(table, recordBatch, 'rows and vectors')))
  return {
    watermark: watermarkOf(table, rows.filter(isMark), format),
    rows: rows.filter((row) => !isMark(row)),
  }
}

function writtenFrom(space: string, from: number): string {
  return `space = ${literal(space)} AND \`offset\` >= ${literal(from)}`
}

/** The offsets of a space's live rows from this one on, ascending. */
export async function offsetsFrom(on: LanceTable, space: string, from: number): Promise<readonly number[]> {
  const offsets: number[] = []
  const written = on.query().where(`${writtenFrom(space, from)} AND deleted = FALSE`)
  for await (const recordBatch of written.select(['offset']))
    offsets.push(...(recordBatch.getChild('offset')?.toArray() ?? []))
  return offsets.sort((a, b) => a - b)
}

/** A space's live rows between two offsets. */
export async function liveRows(
  on: LanceTable,
  { table, format }: { readonly table: Table; readonly format: RowFormat },
  { space, from, until }: { readonly space: string; readonly from: number; readonly until: number },
): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = []
  const written = on.query().where(`${writtenFrom(space, from)} AND \`offset\` < ${literal(until)} AND deleted = FALSE`)
  for await (const recordBatch of written.select([...format.columns(table)]))
    rows.push(...(await format.rows(table, recordBatch, 'rows and vectors')))
  return rows
}
