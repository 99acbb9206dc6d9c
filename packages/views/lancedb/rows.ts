/** Rows and tombstones of a table, without a search. */
import type { Table as LanceTable } from '@lancedb/lancedb'
import type { SpaceChanges, VectorSpace } from '../port.ts'
import type { Row, StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { decodeRows, decodeStoredRows, rowColumns } from './arrow.ts'
import { corruptTable, isDamage } from './errors.ts'
import { isWatermark, watermarkKey, watermarkOf } from './fence.ts'
import { literal } from './sql.ts'

/** By the bytes of space and id, batch by batch. Checksums are not compared: `verify` compares the rows themselves. @throws LoomlogError `view-corrupt` */
export async function* everyRow(on: LanceTable, table: Table): AsyncGenerator<Row> {
  const order = ['space', 'id'].map((columnName) => ({ columnName, ascending: true, nullsFirst: false }))
  try {
    for await (const batch of on.query().where(`NOT (${isWatermark})`).select(rowColumns(table)).orderBy(order)) {
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

/** One query, so that the rows and the watermark are of one snapshot. @throws LoomlogError `view-corrupt` */
export async function changesIn(on: LanceTable, table: Table, read: ChangesRead): Promise<SpaceChanges> {
  const inSpace = `space = ${literal(read.space)} AND \`offset\` >= ${literal(read.from)}`
  const rows: StoredRow[] = []
  for await (const batch of on.query().where(`${isWatermark} OR (${inSpace})`)) {
    // A writer that takes the table changes the watermark row in place, and leaves its checksum.
    rows.push(...decodeStoredRows(table, batch, isMark))
  }
  return {
    watermark: watermarkOf(table, rows.filter(isMark), read.vectorSpace),
    rows: rows.filter((row) => !isMark(row)),
  }
}

function isMark({ id, space }: Row): boolean {
  return id === watermarkKey && space === ''
}
