/** Vectors have a checksum each, which continues that of their row. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from '@lancedb/lancedb'
import type { RowChange } from '../change.ts'
import { testRow, testShard, testSpace, testVectors } from '../contract/setup.ts'
import type { ReadableShard } from '../port.ts'
import { facts as table } from '../tables/facts.ts'
import { temporaryFolder } from './fixture.ts'
import { invertVectors } from './invert-vectors.ts'
import { lanceStore, shardUri } from './store.ts'

const ids = ['a', 'b', 'c', 'd']
const damaged = { code: 'view-corrupt', message: /^the vector of a row of table facts does not match its checksum/ }

async function filledShard(t: TestContext) {
  const folder = await temporaryFolder(t)
  const shard = await lanceStore(folder).write(testShard)
  const changes = ids.map((id, offset): RowChange => ({ kind: 'put', row: testRow(id, offset) }))
  const bare: RowChange = { kind: 'put', row: testRow('bare', 4, { vector: null }) }
  await shard.apply({ table, changes: [...changes, bare], watermark: 5 })
  await shard.close()
  return { folder, open: () => lanceStore(folder).read(testShard, 'latest') }
}

async function every(shard: ReadableShard) {
  const rows = []
  for await (const row of shard.rows(table)) rows.push(row)
  return rows
}

const vector = Float32Array.from({ length: testVectors.dimensions }, (_, index) => Math.sin(1 + index))

test('vectors that were inverted on disk are damage wherever vectors are read', async (t) => {
  const { folder, open } = await filledShard(t)
  assert.equal(await invertVectors(join(shardUri(folder, testShard), 'facts.lance'), 'facts'), ids.length)
  const shard = await open()
  t.after(() => shard.close())
  await assert.rejects(shard.changes(table, testSpace, 0), damaged)
  await assert.rejects(shard.nearest(table, { space: testSpace, vector, limit: 2 }), damaged)
  await assert.rejects(every(shard), damaged)
  assert.equal((await shard.byIds(table, testSpace, ids)).length, ids.length, 'reads without vectors are served')
})

test('a vector that was lost, or is another row’s, is damage', async (t) => {
  for (const lost of [null, testRow('b', 1).vector]) {
    const { folder, open } = await filledShard(t)
    const connection = await connect(shardUri(folder, testShard))
    const on = await connection.openTable('facts')
    if (lost === null) await on.update({ where: "id = 'a'", valuesSql: { vector: 'NULL' } })
    else await on.update({ where: "id = 'a'", values: { vector: [...lost] } })
    connection.close()
    const shard = await open()
    await assert.rejects(shard.changes(table, testSpace, 0), damaged)
    await assert.rejects(every(shard), damaged)
    await shard.close()
  }
})

test('intact vectors, and rows without one, are read as they were written', async (t) => {
  const { open } = await filledShard(t)
  const shard = await open()
  t.after(() => shard.close())
  const rows = (await every(shard)).map((row) => [row.id, row.vector])
  assert.deepEqual(rows, [
    ['a', testRow('a', 0).vector],
    ['b', testRow('b', 1).vector],
    ['bare', null],
    ['c', testRow('c', 2).vector],
    ['d', testRow('d', 3).vector],
  ])
})
