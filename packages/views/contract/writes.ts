/** Writes: what each change does to a row, in batches that are applied once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowChange } from '../change.ts'
import { type FactRow, facts as table } from '../tables/facts.ts'
import { cosineError, type Setup, testRow, testSpace } from './setup.ts'

const put = (id: string, offset: number): RowChange<FactRow> => ({ kind: 'put', row: testRow(id, offset) })

export function writesContract(setup: Setup): void {
  test('every field of a row comes back as it was written', async (t) => {
    const shard = await setup.shard(t)
    const times = { at: null, validFrom: -5.5, validTo: 2 ** 53 - 1, knownTo: 0 }
    const lists = { sources: ['', "o'h", 'é'], persons: [], labels: ['a,b'] }
    const objects = { when: { from: 1, to: 2, text: '"now"' }, lineage: null, location: null }
    const row = testRow('a', 3, { ...times, ...lists, ...objects, text: 'Zoë said "hi" 😀' })
    await shard.apply({ table, changes: [{ kind: 'put', row }], watermark: 4 })
    const { vector: _, ...found } = row
    assert.deepEqual(await shard.byIds(table, testSpace, ['a']), [found])
    await shard.close()
  })

  test('a patch keeps the columns that it does not name, and the vector', async (t) => {
    const shard = await setup.shard(t)
    await shard.apply({ table, changes: [put('a', 0)], watermark: 1 })
    const fields = { validTo: 42, location: 'Porto' }
    await shard.apply({
      table,
      changes: [{ kind: 'patch', space: testSpace, id: 'a', fields, offset: 1 }],
      watermark: 2,
    })
    const vector = testRow('a', 0).vector ?? new Float32Array(8)
    const [hit] = await shard.nearest(table, { space: testSpace, vector, limit: 1 })
    assert.equal(hit?.row.validTo, 42)
    assert.equal(hit?.row.location, 'Porto')
    assert.equal(hit?.row.text, 'what a says')
    assert.ok(Math.abs((hit?.score ?? 0) - 1) < cosineError)
    await shard.close()
  })

  test('no search finds a removed row', async (t) => {
    const shard = await setup.shard(t)
    await shard.apply({ table, changes: [put('a', 0), put('b', 1)], watermark: 2 })
    await shard.apply({ table, changes: [{ kind: 'remove', space: testSpace, id: 'a', offset: 2 }], watermark: 3 })
    const space = testSpace
    const vector = testRow('a', 0).vector ?? new Float32Array(8)
    assert.deepEqual(await shard.byIds(table, space, ['a']), [])
    assert.deepEqual(
      (await shard.scan(table, { space, limit: 9 })).map((row) => row.id),
      ['b'],
    )
    assert.deepEqual(
      (await shard.fullText(table, { space, query: 'says', limit: 9 })).map((hit) => hit.row.id),
      ['b'],
    )
    assert.deepEqual(
      (await shard.nearest(table, { space, vector, limit: 9 })).map((hit) => hit.row.id),
      ['b'],
    )
    assert.equal(await shard.count(table, { space }), 1)
    await shard.close()
  })

  test('a replayed batch changes nothing, and an overlapping batch applies only its new part', async (t) => {
    const shard = await setup.shard(t)
    const first: RowChange<FactRow>[] = [
      put('a', 0),
      { kind: 'remove', space: testSpace, id: 'a', offset: 1 },
      put('b', 2),
    ]
    await shard.apply({ table, changes: first, watermark: 3 })
    const replayed = await shard.apply({ table, changes: [put('a', 0)], watermark: 1 })
    assert.deepEqual(replayed, { watermark: 3, rows: 0 })
    const overlapping = await shard.apply({ table, changes: [put('a', 0), put('c', 3)], watermark: 4 })
    assert.deepEqual(overlapping, { watermark: 4, rows: 1 })
    assert.deepEqual(
      (await shard.scan(table, { space: testSpace, limit: 9 })).map((row) => row.id),
      ['b', 'c'],
    )
    await shard.close()
  })

  test('the first putIfAbsent of an id wins over later ones', async (t) => {
    const shard = await setup.shard(t)
    for (const [offset, text] of ['first', 'second', 'third'].entries()) {
      const row = testRow('a', offset, { text })
      await shard.apply({ table, changes: [{ kind: 'putIfAbsent', row }], watermark: offset + 1 })
    }
    const [row] = await shard.byIds(table, testSpace, ['a'])
    assert.equal(row?.text, 'first')
    assert.equal((await shard.watermark(table)).offset, 3)
    await shard.close()
  })

  test('the same id in two spaces is two rows', async (t) => {
    const shard = await setup.shard(t)
    const rows = ['acme/home', 'evil/home'].map((space, offset) => testRow('a', offset, { space, text: space }))
    await shard.apply({ table, changes: rows.map((row) => ({ kind: 'put', row })), watermark: 2 })
    await shard.apply({ table, changes: [{ kind: 'remove', space: 'evil/home', id: 'a', offset: 2 }], watermark: 3 })
    assert.deepEqual(
      (await shard.byIds(table, 'acme/home', ['a'])).map((row) => row.text),
      ['acme/home'],
    )
    await shard.close()
  })

  test('a batch without changes moves the watermark', async (t) => {
    const shard = await setup.shard(t)
    await shard.apply({ table, changes: [], watermark: 50 })
    assert.equal((await shard.watermark(table)).offset, 50)
    assert.equal((await shard.health()).get(table.name)?.offset, 50)
    await shard.close()
  })

  test('concurrent batches are applied one after the other', async (t) => {
    const shard = await setup.shard(t)
    const applied = await Promise.all(
      Array.from({ length: 20 }, (_, offset) =>
        shard.apply({ table, changes: [put('same', offset)], watermark: offset + 1 }),
      ),
    )
    assert.equal(applied.at(-1)?.watermark, 20)
    assert.deepEqual(
      (await shard.scan(table, { space: testSpace, limit: 9 })).map((row) => row.offset),
      [19],
    )
    await shard.close()
  })

  test('a change beyond the watermark of its batch is refused before anything is written', async (t) => {
    const shard = await setup.shard(t)
    await assert.rejects(shard.apply({ table, changes: [put('a', 5)], watermark: 5 }), /offset 5 in a batch up to 5/)
    assert.equal(await shard.count(table, { space: testSpace }), 0)
    await shard.close()
  })
}
