/** Clearings: every row of a space goes and leaves nothing, and the rows after it are as in a space without a past. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowChange, TableChange } from '../change.ts'
import type { WritableShard } from '../port.ts'
import { SpaceCache } from '../space-cache/space-cache.ts'
import { type FactRow, facts as table } from '../tables/facts.ts'
import { type Setup, testRow, testShard, testSpace, testVectors } from './setup.ts'

const otherSpace = 'acme/work'
const put = (id: string, offset: number, space = testSpace): RowChange<FactRow> => ({
  kind: 'put',
  row: testRow(id, offset, { space }),
})
const absent = (id: string, offset: number): RowChange<FactRow> => ({ kind: 'putIfAbsent', row: testRow(id, offset) })
const remove = (id: string, offset: number): TableChange => ({ kind: 'remove', space: testSpace, id, offset })
const clear = (offset: number): TableChange => ({ kind: 'clear', space: testSpace, offset })

/** Every row and tombstone, as `space/id@offset`. */
async function stored(shard: WritableShard): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { space, id, offset } of shard.rows(table)) lines.push(`${space}/${id}@${offset}`)
  return lines
}

export function clearingsContract(setup: Setup): void {
  test('a clearing leaves no row and no tombstone of its space, and every row of the others', async (t) => {
    const shard = await setup.shard(t)
    await shard.apply({ table, changes: [put('a', 0), put('b', 1), put('a', 2, otherSpace)], watermark: 3 })
    await shard.apply({ table, changes: [remove('b', 3), clear(4)], watermark: 5 })
    assert.deepEqual(await stored(shard), ['acme/work/a@2'])
    assert.equal((await shard.watermark(table)).offset, 5)
    await shard.close()
  })

  test('rows after a clearing are written as if nothing had been there, in the same batch and later', async (t) => {
    const shard = await setup.shard(t)
    await shard.apply({ table, changes: [put('a', 0), put('b', 1), remove('b', 2)], watermark: 3 })
    const patch: TableChange = { kind: 'patch', space: testSpace, id: 'a', fields: { validTo: 42 }, offset: 5 }
    await shard.apply({ table, changes: [put('c', 3), clear(4), patch, absent('b', 6)], watermark: 7 })
    await shard.apply({ table, changes: [absent('a', 7)], watermark: 8 })
    assert.deepEqual(await stored(shard), ['acme/home/a@7', 'acme/home/b@6'])
    await shard.close()
  })

  test('a space in memory is read again after a clearing', async (t) => {
    const shard = await setup.shard(t)
    const search = new SpaceCache().searchesOf(shard, testVectors.dimensions)
    const ids = async () => (await search.scan(table, { space: testSpace, limit: 9 })).map(({ id }) => id)
    await shard.apply({ table, changes: [put('a', 0), put('b', 1)], watermark: 2 })
    assert.deepEqual(await ids(), ['a', 'b'])
    await shard.apply({ table, changes: [clear(2), put('b', 3)], watermark: 4 })
    assert.deepEqual(await ids(), ['b'])
    await shard.close()
  })

  test('a writer that another one has fenced clears nothing', async (t) => {
    const store = await setup.store(t)
    const first = await store.write(testShard)
    await first.apply({ table, changes: [put('a', 0)], watermark: 1 })
    const second = await store.write(testShard)
    await assert.rejects(first.apply({ table, changes: [clear(1)], watermark: 2 }), { code: 'fenced' })
    assert.deepEqual(await stored(second), ['acme/home/a@0'])
    await first.close()
    await second.close()
  })

  test('packs of a cleared space are empty, and its new rows are packed again', async (t) => {
    const shard = await setup.shard(t)
    const many = (from: number) => Array.from({ length: 300 }, (_, at) => put(`n${at}`, from + at))
    await shard.apply({ table, changes: many(0), watermark: 300 })
    await shard.apply({ table, changes: many(300), watermark: 600 })
    await shard.apply({ table, changes: [clear(600), put('a', 601)], watermark: 602 })
    const after = await shard.changes(table, testSpace, 0)
    assert.deepEqual([after.packs.length, after.rows.map(({ id }) => id)], [0, ['a']])
    await shard.apply({ table, changes: many(602), watermark: 902 })
    const { packs, rows } = await shard.changes(table, testSpace, 0)
    assert.equal(packs.reduce((sum, { length }) => sum + length, 0) + rows.length, 301)
    await shard.close()
  })
}
