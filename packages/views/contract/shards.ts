/** Shards: opened to read and to write, and removed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { and, atLeast, before, isNull } from '../condition.ts'
import { facts } from '../tables/facts.ts'
import { links } from '../tables/links.ts'
import { type Setup, testRow, testShard, testSpace } from './setup.ts'

export function shardsContract(setup: Setup): void {
  test('a shard opened with another vector space is refused by both names', async (t) => {
    const store = await setup.store(t)
    await (await store.write(testShard)).close()
    const other = { ...testShard, vectorSpace: { name: 'other', dimensions: 4 } }
    const refusal = { code: 'embedder-mismatch', message: /test-8 \(8 dimensions\), not of other \(4\)/ }
    await assert.rejects(store.read(other, 'latest'), refusal)
    await assert.rejects(store.write(other), refusal)
  })

  test('a reader finds no shard before it was written, and every commit at once afterwards', async (t) => {
    const store = await setup.store(t)
    await assert.rejects(store.read(testShard, 'latest'), { code: 'not-found' })
    const writer = await store.write(testShard)
    const reader = await store.read(testShard, 'latest')
    const asOpened = await store.read(testShard, 'as opened')
    for (let offset = 0; offset < 3; offset += 1) {
      await writer.apply({
        table: facts,
        changes: [{ kind: 'put', row: testRow(`r${offset}`, offset) }],
        watermark: offset + 1,
      })
      assert.equal(await reader.count(facts, { space: testSpace }), offset + 1)
      assert.equal((await reader.fullText(facts, { space: testSpace, query: 'says', limit: 9 })).length, offset + 1)
      assert.equal((await reader.watermark(facts)).offset, offset + 1)
    }
    assert.equal(await asOpened.count(facts, { space: testSpace }), 0)
    await Promise.all([reader.close(), asOpened.close(), writer.close()])
  })

  test('the watermark row is in no search of any space', async (t) => {
    const shard = await setup.shard(t)
    for (const space of ['', '#watermark', testSpace]) assert.equal(await shard.count(facts, { space }), 0)
    await shard.close()
  })

  test('a total counts the rows of every space that meet the condition, and no tombstone', async (t) => {
    const shard = await setup.shard(t)
    const rows = ['acme/a', 'acme/b', 'acme0/c', 'acme/d'].map((space, offset) =>
      testRow(`r${offset}`, offset, { space, knownTo: offset === 1 ? 9 : null, deleted: offset === 3 }),
    )
    const changes = rows.map((row) => ({ kind: 'put', row }) as const)
    await shard.apply({ table: facts, changes, watermark: rows.length })
    assert.equal(await shard.total(facts, and()), 3)
    assert.equal(await shard.total(facts, isNull('knownTo')), 2)
    assert.equal(await shard.total(facts, and(atLeast('space', 'acme/'), before('space', 'acme0'))), 2)
    await shard.close()
  })

  test('a table that is added to a shard later begins at offset 0', async (t) => {
    const store = await setup.store(t)
    const { apply, close } = await store.write(testShard)
    await apply({ table: facts, changes: [], watermark: 9 })
    await close()
    const shard = await store.write({ ...testShard, tables: [facts, links] })
    const marks = await Promise.all([shard.watermark(facts), shard.watermark(links)])
    assert.deepEqual(
      marks.map((mark) => mark.offset),
      [9, 0],
    )
    await shard.close()
  })

  test('a removed view is empty, and a second removal changes nothing', async (t) => {
    const store = await setup.store(t)
    await (await store.write(testShard)).close()
    assert.equal(store.mayHold(testShard.view), true)
    for (let times = 0; times < 2; times += 1) await store.remove(testShard.view, 1)
    await assert.rejects(store.read(testShard, 'latest'), { code: 'not-found' })
  })
}
