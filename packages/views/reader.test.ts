import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { noteLogAnswer } from '@loomlog/log/end-offsets-in-time'
import type { Log } from '@loomlog/log/port'
import { viewId } from './catalogue.ts'
import { testRow, testSpace, testVectors } from './contract/setup.ts'
import { memoryStore } from './in-memory/store.ts'
import type { ViewStore } from './port.ts'
import { ViewReader } from './reader.ts'
import type { ViewReaderOptions } from './reader-options.ts'
import { SpaceCache } from './space-cache/space-cache.ts'
import { facts } from './tables/facts.ts'

const place = { view: viewId('facts.d1', testVectors.name), partition: 0, tables: [facts], vectorSpace: testVectors }

/** A store that counts the shards that are open, and how often rows of a space were read. */
function countingStore(more: Partial<ViewReaderOptions> = {}) {
  const store = memoryStore()
  const counts = { opened: 0, open: 0, reads: 0 }
  const counted: ViewStore = {
    ...store,
    async read(options, reads) {
      const shard = await store.read(options, reads)
      counts.opened += 1
      counts.open += 1
      return {
        ...shard,
        changes: (...args) => {
          counts.reads += 1
          return shard.changes(...args)
        },
        close: async () => {
          counts.open -= 1
          await shard.close()
        },
      }
    },
  }
  const sources = new Map([['facts', 'facts.d1']])
  const reader = new ViewReader({
    store: counted,
    tables: [facts],
    vectorSpace: testVectors,
    partitions: 1,
    sources,
    cache: new SpaceCache(),
    ...more,
  })
  return { store, reader, counts }
}

test('concurrent first reads open the shard once and read the space once, and close() closes the shard', async () => {
  const { store, reader, counts } = countingStore()
  const writer = await store.write(place)
  await writer.apply({ table: facts, changes: [{ kind: 'put', row: testRow('a', 0) }], watermark: 1 })
  const found = await Promise.all([1, 2, 3].map(() => reader.count(facts, { space: testSpace })))
  assert.deepEqual(found, [1, 1, 1])
  assert.deepEqual(counts, { opened: 1, open: 1, reads: 1 })
  await reader.close()
  assert.equal(counts.open, 0)
})

test('a missing shard is found once it is written', async () => {
  const { store, reader } = countingStore()
  assert.equal(await reader.count(facts, { space: testSpace }), 0)
  const writer = await store.write(place)
  await writer.apply({ table: facts, changes: [{ kind: 'put', row: testRow('a', 0) }], watermark: 1 })
  assert.equal(await reader.count(facts, { space: testSpace }), 1)
})

/** A log whose only topic has 5 records, or that is away. It is no log of the shards that the tests write. */
function fakeLog() {
  const state = { isAway: false }
  const answer = async <T>(value: T) => {
    if (state.isAway) throw new LoomlogError('log-unavailable', 'the log is away')
    return value
  }
  const log = { endOffsets: () => answer([5]), identity: () => answer('new/1') } as unknown as Log
  return { state, log }
}

const checkpoint = { log: 'old/1', offset: 1, last: { offset: 0, digest: 'd' } }

test('a shard of another log is reported once, however often it is searched until it is rebuilt', async () => {
  const reports: string[] = []
  const { store, reader, counts } = countingStore({ ...fakeLog(), onReplaced: (message) => reports.push(message) })
  const writer = await store.write(place)
  await writer.apply({ table: facts, changes: [{ kind: 'put', row: testRow('a', 0) }], watermark: 1, checkpoint })
  for (let search = 0; search < 3; search += 1)
    assert.equal(await reader.forOneRecall().count(facts, { space: testSpace }), 0)
  assert.equal(reports.length, 1)
  assert.equal(counts.open, 0)
})

test('a shard that can’t be compared with the log is closed again', async () => {
  const { state, log } = fakeLog()
  const { store, reader, counts } = countingStore({ log })
  const writer = await store.write(place)
  await writer.apply({ table: facts, changes: [{ kind: 'put', row: testRow('a', 0) }], watermark: 1, checkpoint })
  state.isAway = true
  await assert.rejects(reader.count(facts, { space: testSpace }), { code: 'log-unavailable' })
  assert.deepEqual([counts.opened, counts.open], [1, 0])
})

test('a missing shard is listed as rebuilt, also if the log was away at its first read', async () => {
  const { state, log } = fakeLog()
  const { reader } = countingStore({ log })
  state.isAway = true
  await assert.rejects(reader.count(facts, { space: testSpace }), { code: 'log-unavailable' })
  state.isAway = false
  noteLogAnswer(log)
  assert.equal(await reader.count(facts, { space: testSpace }), 0)
  assert.deepEqual(await reader.rebuilds([testSpace]), [{ topic: 'facts', partition: 0, reached: 0, end: 5 }])
})
