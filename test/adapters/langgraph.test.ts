/** The store of LangGraph on the memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '@langchain/langgraph-checkpoint'
import { memoryStore } from '@loomlog/adapters/langgraph'
import { openSpace } from './open-space.ts'

const maya = ['users', 'maya']

test('an item is kept, replaced and deleted, for every store of the conversation', async (t) => {
  const space = await openSpace(t)
  const [store, other] = [memoryStore({ space }), memoryStore({ space })]
  assert.equal(await store.get(maya, 'home'), null)
  await store.put(maya, 'home', { text: 'Maya lives in Lisbon.', floor: 2 })
  const first = await other.get(maya, 'home')
  assert.deepEqual(first?.value, { text: 'Maya lives in Lisbon.', floor: 2 })
  assert.deepEqual([first?.namespace, first?.key], [maya, 'home'])
  await store.put(maya, 'home', { text: 'Maya lives in Porto.', floor: 3 })
  const second = await other.get(maya, 'home')
  assert.deepEqual(second?.value, { text: 'Maya lives in Porto.', floor: 3 })
  assert.deepEqual(second?.createdAt, first?.createdAt)
  assert.ok(first && second && second.updatedAt > first.updatedAt)
  await store.put(maya, 'home', { text: 'Maya lives in Porto.', floor: 3 })
  assert.deepEqual(await other.get(maya, 'home'), second)
  const { text } = await space.recall('Where does Maya live?', { kind: 'utterance' })
  assert.match(text, /Porto/)
  await store.delete(maya, 'home')
  assert.equal(await other.get(maya, 'home'), null)
  assert.deepEqual(await other.listNamespaces(), [])
})

test('the same value with another index is found by other words', async (t) => {
  const store = memoryStore({ space: await openSpace(t) })
  const found = async () => (await store.search(maya, { query: 'cat' })).map(({ key }) => key)
  await store.put(maya, 'pet', { text: 'A cat.' })
  assert.deepEqual(await found(), ['pet'])
  await store.put(maya, 'pet', { text: 'A cat.' }, false)
  assert.deepEqual(await found(), [])
})

test('items are found by namespace, filter and query', async (t) => {
  const store = memoryStore({ space: await openSpace(t) })
  const puts: Operation[] = [
    { namespace: maya, key: 'cat', value: { text: 'Maya has a cat called Miso.', year: 2021 } },
    { namespace: maya, key: 'boat', value: { text: 'Maya repairs the engine of a boat.', year: 2024 } },
    { namespace: ['users', 'tomas'], key: 'cat', value: { text: 'Tomas has a cat called Nori.', year: 2023 } },
    { namespace: maya, key: 'hidden', value: { text: 'Maya hides a cat.', year: 2020 }, index: false },
    { namespace: ['docs'], key: 'a', value: { title: 'On bees', text: 'A cat.' }, index: ['title'] },
  ]
  await store.batch(puts)
  const keysOf = async (...search: Parameters<typeof store.search>) =>
    (await store.search(...search)).map(({ namespace, key }) => [...namespace, key].join('/'))
  assert.equal((await keysOf([])).length, 5)
  assert.deepEqual((await keysOf(maya)).toSorted(), ['users/maya/boat', 'users/maya/cat', 'users/maya/hidden'])
  assert.deepEqual(await keysOf(['users'], { filter: { year: { $gt: 2023 } } }), ['users/maya/boat'])
  assert.equal((await keysOf(['users'], { limit: 2, offset: 3 })).length, 1)
  assert.equal((await keysOf(maya, { query: 'What is the cat called?' }))[0], 'users/maya/cat')
  assert.ok(!(await keysOf([], { query: 'cat' })).includes('users/maya/hidden'))
  assert.deepEqual(await keysOf(['users'], { query: 'cat', filter: { year: 2023 } }), ['users/tomas/cat'])
  const [best, ...rest] = await store.search([], { query: 'bees' })
  assert.equal(best?.key, 'a')
  assert.ok(rest.every(({ score = 0 }) => score <= (best?.score ?? 0)))
  assert.deepEqual(await store.listNamespaces({ prefix: ['users'] }), [
    ['users', 'maya'],
    ['users', 'tomas'],
  ])
  assert.deepEqual(await store.listNamespaces({ maxDepth: 1 }), [['docs'], ['users']])
  await assert.rejects(store.put([], 'x', {}), /[Nn]amespace/)
})

test('a batch reads the items before its writes, and its last write of a key counts', async (t) => {
  const store = memoryStore({ space: await openSpace(t) })
  const [before, , , found] = await store.batch([
    { namespace: maya, key: 'home' },
    { namespace: maya, key: 'home', value: { text: 'Lisbon' } },
    { namespace: maya, key: 'home', value: { text: 'Porto' } },
    { namespacePrefix: maya },
  ])
  assert.equal(before, null)
  assert.deepEqual(found, [])
  assert.deepEqual((await store.get(maya, 'home'))?.value, { text: 'Porto' })
})
