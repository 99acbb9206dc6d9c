/** Checkpoints of the log beside the watermarks, and shards that are discarded and rebuilt. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { facts as table } from '../tables/facts.ts'
import { type Setup, testRow, testShard, testSpace } from './setup.ts'

const put = (id: string, offset: number) => ({ kind: 'put', row: testRow(id, offset) }) as const

export function discardsContract(setup: Setup): void {
  test('a checkpoint is committed with its batch, and read by the next writer and by readers', async (t) => {
    const store = await setup.store(t)
    const checkpoint = { log: 'l/1', offset: 4, last: { offset: 3, digest: 'd' } }
    const first = await store.write(testShard)
    assert.equal((await first.watermark(table)).checkpoint, null)
    await first.apply({ table, changes: [put('a', 3)], watermark: 4, checkpoint })
    await first.close()
    const [writer, reader] = [await store.write(testShard), await store.read(testShard, 'latest')]
    for (const shard of [writer, reader]) assert.deepEqual((await shard.watermark(table)).checkpoint, checkpoint)
    await Promise.all([writer.close(), reader.close()])
  })

  test('a discarded shard is not found, and the next writer begins an empty one', async (t) => {
    const store = await setup.store(t)
    const first = await store.write(testShard)
    for (let offset = 0; offset < 4; offset += 1)
      await first.apply({ table, changes: [put(`a${offset}`, offset)], watermark: offset + 1 })
    await first.close()
    await store.discard(testShard.view, testShard.partition)
    await store.discard(testShard.view, testShard.partition)
    await assert.rejects(store.read(testShard, 'latest'), { code: 'not-found' })
    const again = await store.write(testShard)
    await again.apply({ table, changes: [put('b', 0)], watermark: 1 })
    const reader = await store.read(testShard, 'latest')
    const rows = await reader.scan(table, { space: testSpace, limit: 9 })
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['b'],
    )
    await Promise.all([again.close(), reader.close()])
  })
  test('a writer whose shard is discarded fails with its next batch, and the next writer begins an empty one', async (t) => {
    const store = await setup.store(t)
    const first = await store.write(testShard)
    await first.apply({ table, changes: [put('a', 0)], watermark: 1 })
    await store.discard(testShard.view, testShard.partition)
    await assert.rejects(first.apply({ table, changes: [put('b', 1)], watermark: 2 }), { code: 'view-corrupt' })
    await first.close()
    const next = await store.write(testShard)
    assert.equal((await next.watermark(table)).offset, 0)
    assert.equal(await next.count(table, { space: testSpace }), 0)
    await next.close()
  })
}
