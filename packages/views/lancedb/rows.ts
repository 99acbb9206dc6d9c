/** Rows and tombstones of a table, without a search. */
import type { Table as LanceTable } from '@lancedb/lancedb'
import type { SpaceChanges, VectorSpace } from '../port.ts'
import type { Row, StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { decodeRows, decodeStoredRows, rowColumns } from './arrow.ts'
import { corruptTable, isDamage } from './errors.ts'
import { isWatermark, sameWatermark, watermarkKey, watermarkOf } from './fence.ts'
import { checkPacks, readPacks } from './packs.ts'
import { literal } from './sql.ts'

/**
 * By the bytes of space and id, batch by batch. Checksums of rows are not compared, since `verify` compares the rows themselves; those of packs are.
 * @throws LoomlogError `view-corrupt`
 */
export async function* everyRow(on: LanceTable, table: Table): AsyncGenerator<Row> {
  const order = ['space', 'id'].map((columnName) => ({ columnName, ascending: true, nullsFirst: false }))
  try {
    await checkPacks(on)
    for await (const batch of on.query().where(`space <> ''`).select(rowColumns(table)).orderBy(order)) {
      yield* decodeRows(table, batch)
    }
  } catch (error) {
    throw isDamage(error) ? corruptTable(table.name, error) : error
  }
}

interface ChangesRead {
  readonly space: string
  readonly from: number
  readonly vectorSpace: VectorSpace
}

/** As often as a writer may commit between two queries, before the space is read without its packs. */
const maxTries = 3

/** From one snapshot: its queries find the same watermark. @throws LoomlogError `view-corrupt` */
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
  for await (const batch of on.query().where(`${isWatermark} OR (${writtenFrom(space, from)})`)) {
    // A writer that takes the table changes the watermark row in place, and leaves its checksum.
    rows.push(...decodeStoredRows(table, batch, isMark))
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
  for await (const batch of written.select(['offset'])) offsets.push(...(batch.getChild('offset')?.toArray() ?? []))
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
  for await (const batch of written) rows.push(...decodeStoredRows(table, batch))
  return rows
}
