import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testVectors } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { filled } from './fixture.ts'
import { SpaceCache } from './space-cache.ts'

const { dimensions } = testVectors

test('a row counts as more memory once a search has returned it', async () => {
  const { counted } = await filled({ 'a/1': 50 })
  const cache = new SpaceCache()
  const search = cache.searchesOf(counted, dimensions)
  await search.count(table, { space: 'a/1' })
  const before = cache.bytes
  const vector = new Float32Array(dimensions).fill(1)
  const sizes: number[] = []
  for (const limit of [10, 10, 20]) {
    await search.nearest(table, { space: 'a/1', vector, limit })
    await search.count(table, { space: 'a/1' })
    sizes.push(cache.bytes - before)
  }
  const [first = 0, again, more = 0] = sizes
  assert.ok(first > 0)
  assert.equal(again, first)
  assert.ok(more > 1.5 * first && more < 2.5 * first, `${sizes}`)
})

test('a space whose results exceed the limit is read again without them', async () => {
  const { counted, reads } = await filled({ 'a/1': 50 })
  const probe = new SpaceCache()
  await probe.searchesOf(counted, dimensions).count(table, { space: 'a/1' })
  const limit = 1.3 * probe.bytes
  const cache = new SpaceCache({ maxBytes: limit })
  const search = cache.searchesOf(counted, dimensions)
  const vector = new Float32Array(dimensions).fill(1)
  const before = reads()
  for (let times = 0; times < 4; times += 1) {
    assert.equal((await search.nearest(table, { space: 'a/1', vector, limit: 50 })).length, 50)
    await search.count(table, { space: 'a/1' })
    assert.ok(cache.bytes <= limit, `${cache.bytes} bytes`)
  }
  assert.ok(reads() - before > 1, `${reads() - before} reads`)
})
