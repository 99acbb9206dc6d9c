import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bm25Scores } from '@loomlog/language/bm25'
import { testSeed } from '../../../test/seeded-random.ts'
import { rowBlock } from '../blocks/row-block.ts'
import type { RowChange } from '../change.ts'
import { and, equals, isNull, oneOf } from '../condition.ts'
import { type Random, seeded } from '../contract/seeded.ts'
import { testRow, testShard, testSpace, testVectors } from '../contract/setup.ts'
import { memoryStore } from '../in-memory/store.ts'
import { temporaryFolder } from '../lancedb/fixture.ts'
import { lanceStore } from '../lancedb/store.ts'
import type { ReadableShard, ViewStore, WritableShard } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { type FactRow, facts as table } from '../tables/facts.ts'
import { wordsOf } from '../words.ts'
import { cosines } from './cosines.ts'
import { filled } from './fixture.ts'
import { bm25 } from './full-text.ts'
import { SpaceCache } from './space-cache.ts'
import { SpaceRows } from './space-rows.ts'

const { dimensions } = testVectors
const spaces = [testSpace, 'acme/office', 'other/home']
const seed = testSeed()

function randomRow(random: Random, offset: number): StoredRow<FactRow> {
  const words = Array.from({ length: 1 + random(8) }, () => `w${random(30)}`)
  const vector = random(6) === 0 ? null : Float32Array.from({ length: dimensions }, () => random(1_000) - 500)
  const fields = { conversation: `c${random(4)}`, text: words.join(' '), at: random(1_000), vector }
  return testRow(`r${random(40)}`, offset, { ...fields, space: spaces[random(spaces.length)] ?? testSpace })
}

function randomChange(random: Random, offset: number): RowChange {
  const { space, id, ...row } = randomRow(random, offset)
  switch (random(10)) {
    case 0:
      return { kind: 'remove', space, id, offset }
    case 1:
      return { kind: 'patch', space, id, fields: { knownTo: offset, validTo: offset }, offset }
    case 2:
      return { kind: 'edit', space, id, edit: ({ text }) => ({ text: `${text} corrected`, vector: null }), offset }
    case 3:
      return { kind: 'putIfAbsent', row: { ...row, space, id } }
    default:
      return { kind: 'put', row: { ...row, space, id } }
  }
}

/** The results of every search of a space, with and without a condition. */
async function everySearch(cache: SpaceCache, shard: ReadableShard, space: string) {
  const search = cache.searchesOf(shard, dimensions)
  const vector = Float32Array.from({ length: dimensions }, (_, at) => Math.cos(at))
  const wheres = [isNull('knownTo'), and(equals('conversation', 'c1'), oneOf('id', ['r1', 'r2', 'r3', 'r30']))]
  const ids = Array.from({ length: 40 }, (_, at) => `r${at}`)
  return {
    rows: await search.byIds(table, space, ids),
    bounded: await Promise.all(
      [{}, ...wheres.map((where) => ({ where }))].map(async (where) => ({
        words: await search.fullText(table, { space, ...where, query: 'w1 w2 corrected', limit: 7 }),
        near: await search.nearest(table, { space, ...where, vector, limit: 7 }),
        scan: await search.scan(table, { space, ...where, limit: 100 }),
        count: await search.count(table, { space, ...where }),
      })),
    ),
  }
}

async function compareAfterChanges(store: ViewStore, steps: number): Promise<void> {
  const random = seeded(seed)
  // Small, so that spaces are evicted all the time.
  const cache = new SpaceCache({ maxBytes: 60_000 })
  let writers: WritableShard[] = [await store.write(testShard)]
  let reader = await store.read(testShard, 'latest')
  let offset = 0
  for (let step = 0; step < steps; step += 1) {
    const kind = random(20)
    if (kind === 0) writers.push(await store.write(testShard))
    if (kind === 1) {
      await store.discard(testShard.view, testShard.partition)
      writers = [await store.write(testShard)]
      cache.forget(reader)
      reader = await store.read(testShard, 'latest')
      offset = random(offset + 1)
    }
    const writer = writers.at(-1) as WritableShard
    const changes = Array.from({ length: 1 + random(12) }, (_, at) => randomChange(random, offset + at))
    offset += changes.length
    await writer.apply({ table, changes, watermark: offset })
    if (random(15) === 0) await writer.optimize()
    const space = spaces[random(spaces.length)] ?? testSpace
    const warm = await everySearch(cache, reader, space)
    const fresh = await everySearch(new SpaceCache(), reader, space)
    assert.deepEqual(warm, fresh, `step ${step} in ${space}; LOOMLOG_SEED=${seed}`)
    const stored = await reader.scan(table, { space, limit: 100 })
    assert.deepEqual(warm.bounded[0]?.scan, stored, `step ${step} in ${space}; LOOMLOG_SEED=${seed}`)
  }
}

test('after any changes by any writer, the cache gives the results of a new cache and of the store', async (t) => {
  await t.test('over memory', () => compareAfterChanges(memoryStore(), 400))
  await t.test('over LanceDB', async (t) => compareAfterChanges(lanceStore(await temporaryFolder(t)), 40))
})

test('a space is read once, and afterwards only its changes', async () => {
  const { shard, counted, reads } = await filled({ [testSpace]: 50 })
  const search = new SpaceCache().searchesOf(counted, dimensions)
  const count = () => search.count(table, { space: testSpace })
  assert.deepEqual(await Promise.all([count(), count(), count()]), [50, 50, 50])
  assert.equal(await count(), 50)
  assert.equal(reads(), 1)
  await shard.apply({ table, changes: [{ kind: 'put', row: testRow('new', 50) }], watermark: 51 })
  assert.deepEqual(await Promise.all([count(), count()]), [51, 51])
  assert.equal(reads(), 2)
})

test('within one recall a space is brought up to date once, and the next recall finds newer rows', async () => {
  const { shard } = await filled({ [testSpace]: 50 })
  let asked = 0
  const counted: ReadableShard = {
    ...shard,
    version: (table) => {
      asked += 1
      return shard.version(table)
    },
  }
  const cache = new SpaceCache()
  await cache.load({ shard: counted, table, space: testSpace, dimensions })
  const recall = () => cache.searchesOf(counted, dimensions, new Map())
  const [first, before] = [recall(), asked]
  const count = () => first.count(table, { space: testSpace })
  assert.deepEqual(await Promise.all([count(), count()]), [50, 50])
  await shard.apply({ table, changes: [{ kind: 'put', row: testRow('new', 50) }], watermark: 51 })
  assert.equal(await count(), 50)
  assert.equal(asked - before, 1)
  assert.equal(await recall().count(table, { space: testSpace }), 51)
})

test('a space that is loaded ahead is not read again by the search that follows', async () => {
  const { counted, reads } = await filled({ [testSpace]: 50 })
  const cache = new SpaceCache()
  const options = { shard: counted, table, space: testSpace, dimensions }
  await Promise.all([cache.load(options), cache.load(options)])
  assert.equal(await cache.searchesOf(counted, dimensions).count(table, { space: testSpace }), 50)
  assert.equal(reads(), 1)
})

test('a space whose packs hold many old versions is read whole once, and then only its changes', async () => {
  const shard = await memoryStore().write(testShard)
  const rows = Array.from({ length: 600 }, (_, at) => testRow(`r${at}`, at))
  const pack = rowBlock(rows, dimensions)
  const starts: number[] = []
  const packed: ReadableShard = {
    ...shard,
    changes: async (table, space, from) => {
      starts.push(from)
      const packs = from === 0 ? Array(5).fill(pack) : []
      return { ...(await shard.changes(table, space, from)), packs }
    },
  }
  const search = new SpaceCache().searchesOf(packed, dimensions)
  for (let offset = 600; offset < 603; offset += 1) {
    await shard.apply({ table, changes: [{ kind: 'put', row: testRow(`r${offset}`, offset) }], watermark: offset + 1 })
    assert.equal(await search.count(table, { space: testSpace }), offset + 1)
  }
  assert.deepEqual(starts, [0, 601, 602])
})

test('the least recently searched space is evicted first, and the cache keeps to its limit', async () => {
  const { counted, reads } = await filled({ 'a/1': 50, 'a/2': 50, 'a/3': 50 })
  const probe = new SpaceCache()
  await probe.searchesOf(counted, dimensions).count(table, { space: 'a/1' })
  const cache = new SpaceCache({ maxBytes: 2.5 * probe.bytes })
  const search = cache.searchesOf(counted, dimensions)
  const before = reads()
  for (const space of ['a/1', 'a/2', 'a/1', 'a/3']) await search.count(table, { space })
  assert.ok(cache.bytes <= 2.5 * probe.bytes)
  assert.equal(reads() - before, 3)
  await search.count(table, { space: 'a/1' })
  assert.equal(reads() - before, 3, 'the first one stayed: it was searched again')
  await search.count(table, { space: 'a/2' })
  assert.equal(reads() - before, 4)
  cache.forget(counted)
  assert.equal(cache.bytes, 0)
})

test('a space that is too large by itself is searched in the store', async () => {
  const { counted, reads } = await filled({ [testSpace]: 50 })
  const cache = new SpaceCache({ maxBytes: 10_000 })
  const hits = await cache
    .searchesOf(counted, dimensions)
    .fullText(table, { space: testSpace, query: 'says', limit: 99 })
  assert.equal(hits.length, 50)
  assert.equal(reads(), 0)
  assert.ok(cache.bytes < 10_000)
})

test('a space that grows beyond the limit leaves the memory, and is searched in the store from then on', async () => {
  const { shard, counted, reads } = await filled({ [testSpace]: 50 })
  const probe = new SpaceCache()
  await probe.searchesOf(counted, dimensions).count(table, { space: testSpace })
  const limit = 2 * probe.bytes
  const cache = new SpaceCache({ maxBytes: limit })
  const search = cache.searchesOf(counted, dimensions)
  const long = 'says much '.repeat(100)
  for (let offset = 50; offset < 150; offset += 1) {
    const row = testRow(`r${offset}`, offset, { text: long })
    await shard.apply({ table, changes: [{ kind: 'put', row }], watermark: offset + 1 })
    assert.equal(await search.count(table, { space: testSpace }), offset + 1)
    assert.ok(cache.bytes <= limit, `${cache.bytes} bytes at ${offset}`)
  }
  const before = reads()
  await shard.apply({ table, changes: [{ kind: 'put', row: testRow('last', 150) }], watermark: 151 })
  assert.equal(await search.count(table, { space: testSpace }), 151)
  assert.equal(reads(), before, 'it is not read again to find out that it is too large')
})

test('spaces without rows count too, so that unknown names do not fill the memory', async () => {
  const { counted } = await filled({ [testSpace]: 1 })
  const cache = new SpaceCache({ maxBytes: 20_000 })
  const search = cache.searchesOf(counted, dimensions)
  for (let at = 0; at < 1_000; at += 1) await search.count(table, { space: `unknown/${at}` })
  assert.ok(cache.bytes <= 20_000)
  assert.ok(cache.size <= 20, `${cache.size} entries`)
})

test('updates of a few rows merge into a few blocks, and the rows keep their numbers', () => {
  const rows = new SpaceRows()
  const stored = Array.from({ length: 5_000 }, (_, at) => testRow(`r${at}`, at, { text: `says w${at % 7}` }))
  for (const row of stored) rows.add(rowBlock([row], dimensions))
  assert.ok(rows.blocks.length <= 20, `${rows.blocks.length} blocks`)
  const whole = new SpaceRows()
  whole.add(rowBlock(stored, dimensions))
  const vector = Float32Array.from({ length: dimensions }, (_, at) => Math.cos(at))
  assert.deepEqual(bm25(rows, new Set(['w3', 'says'])), bm25(whole, new Set(['w3', 'says'])))
  assert.deepEqual(cosines(rows, vector), cosines(whole, vector))
  assert.deepEqual(rows.column('offset'), whole.column('offset'))
  assert.equal(rows.bytes, whole.bytes)
})

test('the postings give the same scores as a count of all words', () => {
  const texts = Array.from({ length: 60 }, (_, at) => `${'w2 '.repeat(at % 5)}w${at % 7} ${'also '.repeat(at % 11)}`)
  const rows = new SpaceRows()
  rows.add(
    rowBlock(
      texts.map((text, at) => testRow(`r${at}`, at, { text })),
      dimensions,
    ),
  )
  const { numbers, scores } = bm25(rows, new Set(['w2', 'w3', 'none']))
  const counted = bm25Scores(texts.map(wordsOf), ['w2', 'w3', 'none'])
  assert.deepEqual([...scores], counted)
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    [...counted.keys()].filter((number) => (counted[number] ?? 0) > 0),
  )
})

test('a table that another writer has taken is read again', async (t) => {
  const store = lanceStore(await temporaryFolder(t))
  const first = await store.write(testShard)
  await first.apply({ table, changes: [{ kind: 'put', row: testRow('a', 0) }], watermark: 1 })
  const reader = await store.read(testShard, 'latest')
  const search = new SpaceCache().searchesOf(reader, dimensions)
  assert.equal(await search.count(table, { space: testSpace }), 1)
  const second = await store.write(testShard)
  assert.equal(await search.count(table, { space: testSpace }), 1, 'taken, and nothing written yet')
  await second.apply({ table, changes: [{ kind: 'put', row: testRow('b', 1) }], watermark: 2 })
  assert.equal(await search.count(table, { space: testSpace }), 2)
  for (const shard of [first, second, reader]) await shard.close()
})

test('a removed row leaves the memory of the cache', async () => {
  const { shard, counted } = await filled({ [testSpace]: 2 })
  const cache = new SpaceCache()
  const search = cache.searchesOf(counted, dimensions)
  await search.count(table, { space: testSpace })
  await shard.apply({ table, changes: [{ kind: 'remove', space: testSpace, id: 'r0', offset: 2 }], watermark: 3 })
  assert.equal(await search.count(table, { space: testSpace }), 1)
  const fresh = new SpaceCache()
  await fresh.searchesOf(counted, dimensions).count(table, { space: testSpace })
  assert.equal(cache.bytes, fresh.bytes)
})
