import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '@loomlog/log/port'
import { viewId } from './catalogue.ts'
import { testRow, testSpace, testVectors } from './contract/setup.ts'
import { memoryStore } from './in-memory/store.ts'
import { lookUp } from './look-up.ts'
import { ViewReader } from './reader.ts'
import { facts } from './tables/facts.ts'

/** Longer than any test. */
const longMs = 600_000

/** A view of facts that has the records below 1, of a log with `end` records, and a look-up of the fact `f`. */
async function facing(end: number, lookUpWaitMs: number) {
  const store = memoryStore()
  const view = viewId('facts.d1', testVectors.name)
  const shard = await store.write({ view, partition: 0, tables: [facts], vectorSpace: testVectors })
  await shard.apply({ table: facts, changes: [{ kind: 'put', row: testRow('first', 0) }], watermark: 1 })
  const state = { end, askedForEnds: 0, looks: 0 }
  const endOffsets = async () => {
    state.askedForEnds += 1
    return [state.end]
  }
  const views = new ViewReader({
    store,
    tables: [facts],
    vectorSpace: testVectors,
    partitions: 1,
    lookUpWaitMs,
    sources: new Map([['facts', 'facts.d1']]),
    log: { endOffsets } as unknown as Log,
  })
  const place = { name: 'memory f', space: testSpace, views, expected: 'a fact' }
  const find = async () => {
    state.looks += 1
    const [row] = await views.byIds(facts, testSpace, ['f'])
    return row?.id ?? null
  }
  const merge = (watermark: number, ...ids: readonly string[]) => {
    const changes = ids.map((id) => ({ kind: 'put', row: testRow(id, watermark - 1) }) as const)
    return shard.apply({ table: facts, changes, watermark })
  }
  return { state, views, merge, place, find }
}

/** Lets the look-up find nothing and begin to wait. */
async function looked({ looks }: { readonly looks: number }, now: () => number): Promise<void> {
  while (now() === looks) await new Promise((resolve) => setTimeout(resolve, 1))
  await new Promise((resolve) => setTimeout(resolve, 20))
}

test('a memory that the view lacks is found once the view has reached the end of the log', async () => {
  const { state, merge, place, find } = await facing(2, longMs)
  const found = lookUp(place, find)
  await looked({ looks: 0 }, () => state.looks)
  await merge(2, 'f')
  assert.equal(await found, 'f')
})

test('a memory that is found costs one look, and asks for no end of the log', async () => {
  const { state, merge, place, find } = await facing(9, longMs)
  await merge(2, 'f')
  await find()
  const { askedForEnds } = state
  assert.equal(await lookUp(place, find), 'f')
  assert.deepEqual([state.looks, state.askedForEnds], [2, askedForEnds])
})

test('records that are appended after the request are not waited for', async () => {
  const { state, merge, place, find } = await facing(2, longMs)
  const found = lookUp(place, find)
  await looked({ looks: 0 }, () => state.looks)
  state.end = 9
  await merge(2)
  await assert.rejects(found, { code: 'not-found', message: 'no memory f in acme/home: expected the id of a fact' })
})

test('no unknown id waits while no view is behind', async () => {
  const { place, find } = await facing(1, longMs)
  await assert.rejects(lookUp(place, find), { code: 'not-found' })
})

test('a record that is merged after the first look is found, although no view is behind', async () => {
  const { merge, place, find } = await facing(2, longMs)
  const found = await lookUp(place, async () => {
    const row = await find()
    await merge(2, 'f')
    return row
  })
  assert.equal(found, 'f')
})

test('after the wait the error says which view is behind', async () => {
  const { place, find } = await facing(3, 60)
  const message = 'not found yet: a view is behind (facts/0 has 1 of 3 records); ask again later'
  await assert.rejects(lookUp(place, find), { code: 'views-behind', message })
})

test('beyond two look-ups of a tenant that wait, and four in all, the next one is answered at once', async () => {
  const { state, merge, place, find } = await facing(2, longMs)
  const ofTenant = (tenant: string) => ({ ...place, space: `${tenant}/home` })
  const waiting = ['acme', 'acme', 'other', 'other'].map((tenant) => lookUp(ofTenant(tenant), find))
  await looked({ looks: 3 }, () => state.looks)
  for (const tenant of ['acme', 'third']) {
    await assert.rejects(lookUp(ofTenant(tenant), find), { code: 'views-behind' })
  }
  await merge(2, 'f')
  assert.deepEqual(await Promise.all(waiting), ['f', 'f', 'f', 'f'])
  assert.equal(await lookUp(place, find), 'f')
})

test('two look-ups of a tenant that wait leave places for other tenants', async () => {
  const { state, merge, place, find } = await facing(2, longMs)
  const waiting = [1, 2].map(() => lookUp(place, find))
  await looked({ looks: 1 }, () => state.looks)
  await assert.rejects(lookUp(place, find), { code: 'views-behind' })
  const { looks } = state
  const ofOther = lookUp({ ...place, space: 'other/home' }, find)
  await looked({ looks }, () => state.looks)
  await merge(2, 'f')
  assert.deepEqual(await Promise.all([...waiting, ofOther]), ['f', 'f', 'f'])
})
