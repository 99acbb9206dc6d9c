import assert from 'node:assert/strict'
import test from 'node:test'
import type { Json } from '@loomlog/schemas/ids'
import { drive, type StepEnvironment } from '../drive.ts'
import { compareBytewise } from '../overlay.ts'
import { type Effects, keyedRecord } from '../step.ts'
import { cite, undoSources } from './citations.ts'
import { digestOf, isCut } from './content-cut.ts'
import { append, itemsOf, takeAll } from './keyed-list.ts'

/** Drives effects over the keyed records of one lane. */
function lane(before: { readonly [key: string]: Json } = {}) {
  const state = new Map<string, Json>(Object.entries(before))
  const environment: StepEnvironment = {
    answer: () => Promise.reject(new Error('the kit asks nothing')),
    isAskedOfModel: () => false,
    get: (record, key) => state.get(`${record} ${key}`) ?? null,
    put(record, key, value) {
      if (value === null) state.delete(`${record} ${key}`)
      else state.set(`${record} ${key}`, value)
    },
    range(record, prefix, limit) {
      const keys = [...state.keys()].filter((key) => key.startsWith(`${record} ${prefix}`)).sort(compareBytewise)
      return keys.slice(0, limit).map((key) => [key.slice(record.length + 1), state.get(key) as Json] as const)
    },
  }
  return { state, run: async <T>(effects: Effects<T>) => drive(effects, environment) }
}

const items = keyedRecord<string>('item')

test('a list keeps the order of arrival beyond ten items, apart from other lists, and is empty once its items are taken', async () => {
  const { run } = lane()
  const arrived = Array.from({ length: 12 }, (_, place) => `item ${place}`)
  for (const [place, item] of arrived.entries()) await run(append(items, { list: 'a/', place }, item))
  await run(append(items, { list: 'b/', place: 0 }, 'other'))
  assert.deepEqual(await run(takeAll(items, 'a/', 12)), arrived)
  assert.deepEqual(await run(itemsOf(items, 'a/', 12)), [])
  assert.deepEqual(await run(takeAll(items, 'b/', 1)), ['other'])
})

test('a list that an earlier version began, with leading zeros in its keys, continues in order', async () => {
  const { run } = lane({ 'item a/0008': 'i', 'item a/0009': 'j' })
  const key = await run(append(items, { list: 'a/', place: 10 }, 'k'))
  assert.equal(key, 'a/10')
  assert.deepEqual(await run(takeAll(items, 'a/', 3)), ['i', 'j', 'k'])
})

test('of four texts one ends a row, the same ones in every version', () => {
  const texts = Array.from({ length: 4_000 }, (_, at) => `line ${at}`)
  const cuts = texts.filter((text) => isCut(digestOf(text), 4))
  assert.ok(Math.abs(cuts.length - 1_000) < 100, `${cuts.length} of 4,000 texts`)
  assert.equal(digestOf('line 0'), 3411004362)
})

test('an undo finds each memory that cites the source once, and no later memory may cite it', async () => {
  const { run } = lane()
  assert.equal(await run(cite('m1', ['u1', 'u2'])), true)
  assert.equal(await run(cite('m2', ['u2'])), true)
  assert.equal(await run(cite('m1', ['u1'])), true, 'a repetition changes nothing')
  assert.deepEqual(await run(undoSources(['u1', 'u2', 'u9'])), ['m1', 'm2'])
  assert.deepEqual(await run(undoSources(['u1', 'u2'])), [])
  for (const source of ['u1', 'u2', 'u9']) assert.equal(await run(cite('m3', [source])), false)
})

test('of one source the newest 64 memories are kept', async () => {
  const { run } = lane()
  for (let n = 0; n < 70; n++) await run(cite(`m${n}`, ['u1']))
  const found = await run(undoSources(['u1']))
  assert.deepEqual([found[0], found.at(-1), found.length], ['m6', 'm69', 64])
})
