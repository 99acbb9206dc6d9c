/** Rows and tombstones of a table, without a search. */
import type { Table as LanceTable } from '@lancedb/lancedb'
import type { SpaceChanges, VectorSpace } from '../port.ts'
import type { Row, StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { decodeRowsWithVectors, decodeStoredRows, storedColumns } from './arrow.ts'
import { viewError } from './errors.ts'
import { isWatermark, sameWatermark, watermarkKey, watermarkOf } from './fence.ts'
import { checkPacks, readPacks } from './packs.ts'
import { literal } from './sql.ts'

/**
 * Every row and tombstone, by the bytes of space and id. Checksums of packs and vectors are compared; those of rows are
 * not, since `verify` compares the rows themselves.
 * @throws LoomlogError `view-corrupt`
 */
export async function* everyRow(on: LanceTable, table: Table): AsyncGenerator<StoredRow> {
  const order = ['space', 'id'].map((columnName) => ({ columnName, ascending: true, nullsFirst: false }))
  try {
    await checkPacks(on)
    for await (const recordBatch of on.query().where(`space <> ''`).select(storedColumns(table)).orderBy(order)) {
      yield* decodeRowsWithVectors(table, recordBatch)
    }
  } catch (error) {
    throw viewError(table.name, error)
  }
}

interface ChangesRead {
  readonly space: string
  readonly from: number
  readonly vectorSpace: VectorSpace
}

/** Attempts to read packs and rows at one watermark, before the space is read without its packs. */
const maxTries = 3

/**
 * The changes of a space from one snapshot: its queries find the same watermark. @throws LoomlogError `view-corrupt`
 */
export async function changesIn(on: LanceTable, table: Table, read: ChangesRead): Promise<SpaceChanges> {
  for (let attempt = 1; read.from === 0 && attempt <= maxTries; attempt += 1) {
    const { packs, marks } = await readPacks(on, table, read.space)
    const from = packs.at(-1)?.pack.until ?? 0
    const { watermark, rows } = await rowsFrom(on, table, { ...read, from })
    if (from === 0 || sameWatermark(watermark, watermarkOf(table, marks, read.vectorSpace)))
      return { watermark, packs: packs.map(({ block }) => block), rows }
  }
  return { ...(await rowsFrom(on, table, read)), packs: [] }
}

/** One query, so that the rows and the watermark are of one snapshot. */
async function rowsFrom(on: LanceTable, table: Table, { space, from, vectorSpace }: ChangesRead) {
  const rows: StoredRow[] = []
  const wanted = on.query().where(`${isWatermark} OR (${writtenFrom(space, from)})`)
  for await (const recordBatch of wanted.select(storedColumns(table))) {
    // Taking the table over changes the watermark row in place, and not its checksum.
    rows.push(...decodeStoredRows(table, recordBatch, isMark))
  }
  return {
    watermark: watermarkOf(table, rows.filter(isMark), vectorSpace),
    rows: rows.filter((row) => !isMark(row)),
  }
}

function writtenFrom(space: string, from: number): string {
  return `space = ${literal(space)} AND \`offset\` >= ${literal(from)}`
}

function isMark({ id, space }: Row): boolean {
  return id === watermarkKey && space === ''
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
  table: Table,
  { space, from, until }: { readonly space: string; readonly from: number; readonly until: number },
): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = []
  const written = on.query().where(`${writtenFrom(space, from)} AND \`offset\` < ${literal(until)} AND deleted = FALSE`)
  for await (const recordBatch of written.select(storedColumns(table)))
    rows.push(...decodeStoredRows(table, recordBatch))
  return rows
}
