import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewId } from './catalogue.ts'
import { testRow, testSpace, testVectors } from './contract/setup.ts'
import { memoryStore } from './memory/store.ts'
import type { ViewStore } from './port.ts'
import { ViewReader } from './reader.ts'
import { SpaceCache } from './space-cache/space-cache.ts'
import { facts } from './tables/facts.ts'

const place = { view: viewId('facts.d1', testVectors.name), partition: 0, tables: [facts], vectorSpace: testVectors }

/** A store that counts the shards that are open, and how often rows of a space were read. */
function countingStore() {
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
  })
  return { store, reader, counts }
}

test('first reads that come together open a shard once and read the space once, and it is closed in the end', async () => {
  const { store, reader, counts } = countingStore()
  const writer = await store.write(place)
  await writer.apply({ table: facts, changes: [{ kind: 'put', row: testRow('a', 0) }], watermark: 1 })
  const found = await Promise.all([1, 2, 3].map(() => reader.count(facts, { space: testSpace })))
  assert.deepEqual(found, [1, 1, 1])
  assert.deepEqual(counts, { opened: 1, open: 1, reads: 1 })
  await reader.close()
  assert.equal(counts.open, 0)
})

test('a shard that is not there yet is found once it is written', async () => {
  const { store, reader } = countingStore()
  assert.equal(await reader.count(facts, { space: testSpace }), 0)
  const writer = await store.write(place)
  await writer.apply({ table: facts, changes: [{ kind: 'put', row: testRow('a', 0) }], watermark: 1 })
  assert.equal(await reader.count(facts, { space: testSpace }), 1)
})
