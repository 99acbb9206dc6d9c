/**
 * The canonical dump: what a table says, apart from where and when it was said in the log. Two tables made from the same events
 * give the same lines, whatever the offsets, batches, crashes and log times were. One canonical JSON line a row, by space and
 * id (bytewise); the watermark row, offsets, vectors and log times are left out.
 *
 * A removed row is a line too, of its identity alone: that something was removed follows from the log like everything else,
 * and a view that forgot a removal must not compare equal.
 */
import type { Table } from '@lancedb/lancedb'
import { canonicalJson } from '@loomlog/schemas/ids'
import { sql } from './condition.ts'
import { watermarkKey } from './fence.ts'
import { columns, decodeRows, type FoundRow } from './row.ts'

export async function* dumpTable(table: Table): AsyncGenerator<string> {
  const order = ['space', 'id'].map((columnName) => ({ columnName, ascending: true, nullsFirst: false }))
  const query = table.query().where(sql`key <> ${watermarkKey}`.text).select(Object.values(columns)).orderBy(order)
  for await (const batch of query) {
    for (const row of decodeRows(batch)) yield line(row)
  }
}

function line({ offset: _, knownFrom: __, knownTo: ___, deleted, ...said }: FoundRow): string {
  return canonicalJson(deleted ? { space: said.space, id: said.id, deleted } : said)
}
