/** Fencing: of several writers, only the last to open a shard writes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { facts as table } from '../tables/facts.ts'
import { type Setup, testRow, testShard, testSpace } from './setup.ts'

const batch = (id: string, offset: number) => ({
  table,
  changes: [{ kind: 'put', row: testRow(id, offset) } as const],
  watermark: offset + 1,
})

export function fencingContract(setup: Setup): void {
  test('a writer whose shard was taken over is fenced, and writes nothing more', async (t) => {
    const store = await setup.store(t)
    const zombie = await store.write(testShard)
    await zombie.apply(batch('before', 0))
    const owner = await store.write(testShard)
    await assert.rejects(zombie.apply(batch('zombie-before-owner', 1)), { code: 'fenced', retryable: false })
    await owner.apply(batch('owner', 1))
    await assert.rejects(zombie.apply(batch('zombie-after-owner', 1)), { code: 'fenced' })
    await assert.rejects(zombie.apply(batch('zombie-ahead', 7)), { code: 'fenced' })
    const rows = await owner.scan(table, { space: testSpace, limit: 9 })
    assert.deepEqual(
      rows.map((row) => row.id),
      ['before', 'owner'],
    )
    const { offset, epoch } = await owner.watermark(table)
    assert.deepEqual([offset, epoch], [2, 2])
    await Promise.all([zombie.close(), owner.close()])
  })

  test('of writers that open and write at the same time, only the last to open writes', async (t) => {
    const store = await setup.store(t)
    const first = await store.write(testShard)
    for (let round = 0; round < 4; round += 1) {
      const rivals = await Promise.all(Array.from({ length: 4 }, () => store.write(testShard)))
      const outcomes = await Promise.allSettled(
        rivals.map((rival, index) => rival.apply(batch(`r${round}-${index}`, round))),
      )
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
      for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'fenced')
      await Promise.all(rivals.map((rival) => rival.close()))
    }
    assert.equal(await first.count(table, { space: testSpace }), 4)
    assert.equal((await first.watermark(table)).offset, 4)
    await first.close()
  })

  test('writers that open a new shard at the same time create it once, without damage', async (t) => {
    for (let round = 0; round < 4; round += 1) {
      const store = await setup.store(t)
      const rivals = await Promise.all(Array.from({ length: 4 }, () => store.write(testShard)))
      const outcomes = await Promise.allSettled(rivals.map((rival, index) => rival.apply(batch(`r${index}`, 0))))
      assert.ok(outcomes.filter((outcome) => outcome.status === 'fulfilled').length <= 1)
      const owner = await store.write(testShard)
      await owner.apply(batch('owner', 0))
      assert.equal(await owner.count(table, { space: testSpace }), 1)
      await Promise.all([...rivals, owner].map((shard) => shard.close()))
    }
  })

  test('a writer is fenced in the middle of its work, in any order of the two merges', async (t) => {
    const store = await setup.store(t)
    const zombie = await store.write(testShard)
    const applied: string[] = []
    const working = (async () => {
      for (let offset = 0; offset < 500; offset += 1) {
        await zombie.apply(batch(`z${offset}`, offset))
        applied.push(`z${offset}`)
        await pause(Math.random() * 15)
      }
    })()
    const fenced = assert.rejects(working, { code: 'fenced' })
    await pause(150)
    const owner = await store.write(testShard)
    const from = (await owner.watermark(table)).offset
    for (let offset = from; offset < from + 5; offset += 1) await owner.apply(batch(`o${offset}`, offset))
    await fenced
    const ids = (await owner.scan(table, { space: testSpace, limit: 9_999 })).map((row) => row.id)
    assert.deepEqual(ids, [...applied, ...Array.from({ length: 5 }, (_, index) => `o${from + index}`)])
    await Promise.all([zombie.close(), owner.close()])
  })
}
