import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestShard, temporaryFolder, temporaryShard, testRow, testSpace, testVectors } from './fixture.ts'
import { openShard } from './shard.ts'

const tables = ['facts']

test('a shard opened with another vector space is refused by both names', async (t) => {
  const { uri, close } = await temporaryShard(t)
  await close()
  for (const mode of ['read', 'write'] as const) {
    const vectorSpace = { name: 'other', dimensions: 4 }
    const opened =
      mode === 'read' ? openShard({ uri, tables, vectorSpace, mode }) : openShard({ uri, tables, vectorSpace, mode })
    await assert.rejects(opened, { code: 'embedder-mismatch', message: /test-8 \(8 dimensions\), not of other \(4\)/ })
  }
})

test('a reader finds no shard before it was written, and every commit at once afterwards', async (t) => {
  const uri = await temporaryFolder(t)
  await assert.rejects(openShard({ uri, tables, vectorSpace: testVectors, mode: 'read' }), { code: 'not-found' })
  const writer = await openTestShard(uri)
  const reader = await openShard({ uri, tables, vectorSpace: testVectors, mode: 'read' })
  for (let offset = 0; offset < 3; offset += 1) {
    await writer.apply({
      table: 'facts',
      changes: [{ kind: 'put', row: testRow(`r${offset}`, offset) }],
      watermark: offset + 1,
    })
    assert.equal(await reader.count('facts', { space: testSpace }), offset + 1)
    assert.equal((await reader.fullText('facts', { space: testSpace, query: 'says', limit: 9 })).length, offset + 1)
    assert.equal((await reader.watermark('facts')).offset, offset + 1)
  }
  await Promise.all([reader.close(), writer.close()])
})

test('the watermark row is in no search, whatever space is asked for', async (t) => {
  const shard = await temporaryShard(t)
  for (const space of ['', '#watermark', testSpace]) assert.equal(await shard.count('facts', { space }), 0)
  await shard.close()
})

test('a table added to a shard later begins at the beginning', async (t) => {
  const { uri, apply, close } = await temporaryShard(t)
  await apply({ table: 'facts', changes: [], watermark: 9 })
  await close()
  const shard = await openShard({ uri, tables: ['facts', 'events'], vectorSpace: testVectors, mode: 'write' })
  const marks = await Promise.all([shard.watermark('facts'), shard.watermark('events')])
  assert.deepEqual(
    marks.map((mark) => mark.offset),
    [9, 0],
  )
  await shard.close()
})
