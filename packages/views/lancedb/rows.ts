/** Every row and tombstone of a table, by the bytes of space and id, batch by batch. */
import type { Table as LanceTable } from '@lancedb/lancedb'
import type { Row } from '../row.ts'
import type { Table } from '../table.ts'
import { decodeRows, rowColumns } from './arrow.ts'
import { corruptTable, isDamage } from './errors.ts'
import { isWatermark } from './fence.ts'

/** Checksums are not compared: `verify` compares the rows themselves. @throws LoomlogError `view-corrupt` */
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
