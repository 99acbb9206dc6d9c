import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewId } from './catalogue.ts'
import { testRow, testSpace, testVectors } from './contract/setup.ts'
import { everyRow } from './every-row.ts'
import { memoryStore } from './in-memory/store.ts'
import { facts } from './tables/facts.ts'

test('every row is read once, in order, also where pages end between rows of one seq', async () => {
  const place = { view: viewId('facts.d1', testVectors.name), partition: 0, tables: [facts], vectorSpace: testVectors }
  const shard = await memoryStore().write(place)
  const rows = [
    ['c', 1, 0],
    ['a', 1, 1],
    ['b', 1, 1],
    ['d', 2, 0],
    ['e', 2, 1],
    ['f', 3, 0],
  ] as const
  const changes = rows.map(([id, seq, ordinal]) => ({ kind: 'put' as const, row: { ...testRow(id, 0), seq, ordinal } }))
  await shard.apply({ table: facts, changes, watermark: 1 })
  for (const pageRows of [1, 2, 3, 6, 7]) {
    let read = ''
    for await (const { id } of everyRow(shard, facts, { space: testSpace }, pageRows)) read += id
    assert.equal(read, 'cabdef', `${pageRows} rows a page`)
  }
})
