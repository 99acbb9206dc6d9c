/**
 * The canonical dump of a table: one canonical JSON line a row, by space and id, without its vector, and
 * the offset and log times of its record. Two tables made from the same events give the same lines, with any offsets,
 * batches, crashes and log times.
 *
 * A tombstone is a line too, with its identity alone, so that a view that missed a removal does not compare equal.
 */
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import type { ReadableShard } from './port.ts'
import type { Table } from './table.ts'

export async function* dumpTable(shard: Pick<ReadableShard, 'rows'>, table: Table): AsyncGenerator<string> {
  for await (const { offset: _, knownFrom: __, knownTo: ___, vector: ____, deleted, ...row } of shard.rows(table)) {
    yield canonicalJson((deleted ? { space: row.space, id: row.id, deleted } : row) as Json)
  }
}
