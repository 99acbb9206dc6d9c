import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StateReader } from '@loomlog/log/port'
import type { Json } from '@loomlog/schemas/ids'
import { countStringsWith, freshCanary } from '../../test/heap-strings.ts'
import { compareBytewise, Overlay, stateChanges, stateKey, type Writes } from './overlay.ts'

/** Committed state that a test fills by committing. */
function committed(values: Readonly<Record<string, Json>> = {}) {
  const kept = new Map(Object.entries(values).map(([key, value]) => [key, bytes(value)]))
  const asked: string[] = []
  const range: StateReader['range'] = (prefix, limit) =>
    [...kept]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => compareBytewise(a, b))
      .slice(0, limit)
  const reader: StateReader = {
    get(key) {
      asked.push(key)
      return kept.get(key) ?? null
    },
    getMany: (keys) =>
      new Map(keys.flatMap((key) => [kept.get(key)].flatMap((value) => (value ? [[key, value]] : [])))),
    range,
    some: range,
  }
  const commit = (writes: readonly Writes[]) => {
    for (const { key, value } of stateChanges(writes)) {
      if (value === null) kept.delete(key)
      else kept.set(key, value)
    }
  }
  return { reader, commit, kept, asked }
}

const bytes = (value: Json): Uint8Array => Buffer.from(JSON.stringify(value))

test('a write or deletion covers the committed value at once', () => {
  const overlay = new Overlay(committed({ a: 1, b: 2 }).reader)
  assert.equal(overlay.get('a'), 1)
  assert.equal(overlay.get('nothing'), null)
  overlay.put(new Map(), 'a', 3)
  overlay.put(new Map(), 'b', null)
  assert.deepEqual([overlay.get('a'), overlay.get('b')], [3, null])
})

test('a range includes uncommitted writes and deletions, within its limit', () => {
  const overlay = new Overlay(committed({ p1: 1, p3: 3, p5: 5, q: 9 }).reader)
  const writes: Writes = new Map()
  overlay.put(writes, 'p2', 2)
  overlay.put(writes, 'p1', null)
  overlay.put(writes, 'p3', 33)
  assert.deepEqual(overlay.range('p', 2), [
    ['p2', 2],
    ['p3', 33],
  ])
  assert.deepEqual(
    overlay.range('p', 9).map(([key]) => key),
    ['p2', 'p3', 'p5'],
  )
})

test('a range skips deleted keys', () => {
  const overlay = new Overlay(committed({ p1: 1, p2: 2, p3: 3 }).reader)
  overlay.put(new Map(), 'p1', null)
  overlay.put(new Map(), 'p2', null)
  assert.deepEqual(overlay.range('p', 1), [['p3', 3]])
})

test('a range is the same before and after the commit, for all keys', () => {
  const state = committed({ xｆ: 1 })
  const overlay = new Overlay(state.reader)
  const writes: Writes = new Map()
  overlay.put(writes, 'x🧵', 2)
  const before = overlay.range('x', 1)
  state.commit([writes])
  overlay.markCommitted(writes)
  assert.deepEqual(overlay.range('x', 1), before)
  assert.equal(stateKey('half \ud83d'), stateKey('half \ufffd'), 'SQLite replaces half a surrogate pair')
})

test('a cached range equals one read from state, after any writes', () => {
  const state = committed({ p1: 1, p2: 2, q1: 9 })
  const overlay = new Overlay(state.reader)
  overlay.range('p', 9)
  const writes: Writes = new Map()
  overlay.put(writes, 'p3', 3)
  overlay.put(writes, 'p1', null)
  overlay.put(writes, 'q2', 9)
  const expected = [
    ['p2', 2],
    ['p3', 3],
  ]
  assert.deepEqual(overlay.range('p', 9), expected)
  assert.deepEqual(overlay.range('p', 1), expected.slice(0, 1))
  state.commit([writes])
  overlay.markCommitted(writes)
  assert.deepEqual(overlay.range('p', 9), expected)
  overlay.put(new Map(), 'p1', 1)
  assert.deepEqual(overlay.range('p', 9), [['p1', 1], ...expected])
  for (let other = 0; other < 2_000; other += 1) overlay.range(`other${other}`, 1)
  assert.deepEqual(overlay.range('p', 9), [['p1', 1], ...expected])
})

test('a range cut off by its limit is not cached', () => {
  const overlay = new Overlay(committed({ p1: 1, p2: 2, p3: 3 }).reader)
  assert.deepEqual(overlay.range('p', 1), [['p1', 1]])
  overlay.put(new Map(), 'p1', null)
  assert.deepEqual(overlay.range('p', 2), [
    ['p2', 2],
    ['p3', 3],
  ])
})

test('a value reads the same before and after the commit', () => {
  const overlay = new Overlay(committed().reader)
  const value = { kept: 1, left: undefined }
  overlay.put(new Map(), 'k', value)
  value.kept = 2
  assert.deepEqual(Object.entries(overlay.get('k') as object), [['kept', 1]])
})

test('settling drops committed writes, and keeps later writes of the same keys', () => {
  const state = committed({ a: 0 })
  const overlay = new Overlay(state.reader)
  const first: Writes = new Map()
  const second: Writes = new Map()
  overlay.put(first, 'a', 1)
  overlay.put(first, 'b', 1)
  overlay.put(second, 'a', 2)
  state.commit([first])
  overlay.markCommitted(first)
  assert.deepEqual([overlay.size, overlay.get('a'), overlay.get('b')], [1, 2, 1])
  state.commit([second])
  overlay.markCommitted(second)
  assert.deepEqual([overlay.size, overlay.get('a')], [0, 2])
})

test('a read returns the last committed value, also after its eviction', () => {
  const values = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]))
  const state = committed(values)
  const overlay = new Overlay(state.reader)
  for (const round of [0, 1, 2]) {
    for (const [key, value] of Object.entries(values)) {
      assert.equal(overlay.get(key), value + round)
      const writes: Writes = new Map()
      overlay.put(writes, key, value + round + 1)
      if (value % 2 === 0) overlay.get(key)
      state.commit([writes])
      overlay.markCommitted(writes)
    }
  }
})

test('state that was empty at first is not read until values are evicted, and then holds every value', () => {
  const state = committed()
  const overlay = new Overlay(state.reader)
  const write = (key: string, value: Json | null) => {
    const writes: Writes = new Map()
    overlay.put(writes, key, value)
    state.commit([writes])
    overlay.markCommitted(writes)
  }
  for (let n = 0; n < 10_000; n++) {
    assert.equal(overlay.get(`k${n}`), null)
    write(`k${n}`, n)
  }
  write('k7', null)
  assert.deepEqual([overlay.get('k7'), overlay.get('k8'), state.asked], [null, 8, []])
  for (let n = 10_000; n < 30_000; n++) write(`k${n}`, n)
  for (let n = 8; n < 30_000; n++) assert.equal(overlay.get(`k${n}`), n)
  assert.ok(state.asked.length > 0)
})

test('the cache is bounded by the size of its values', () => {
  const state = committed()
  const overlay = new Overlay(state.reader)
  const value = 'x'.repeat(8_000)
  for (let n = 0; n < 130; n++) {
    const writes: Writes = new Map()
    overlay.put(writes, `k${n}`, value)
    state.commit([writes])
    overlay.markCommitted(writes)
  }
  assert.deepEqual([overlay.get('k129'), overlay.get('k10'), state.asked], [value, value, []])
  assert.deepEqual([overlay.get('k0'), state.asked], [value, ['k0']])
})

test('once everything below a prefix is deleted and committed, no cache has a key with it', async () => {
  const canary = freshCanary()
  const { reader, asked } = committed({ 'q other': 2 })
  const overlay = new Overlay(reader)
  const commitDeletion = () => {
    const [key, writes]: [string, Writes] = [`p ${canary}`, new Map()]
    overlay.put(writes, key, 1)
    overlay.get(`${key} missing`)
    overlay.range(key, 9)
    overlay.deleteAll(writes, 'p ')
    overlay.markCommitted(writes)
  }
  commitDeletion()
  asked.length = 0
  assert.deepEqual(await countStringsWith([canary]), [0])
  assert.deepEqual([overlay.get('p '), overlay.range('p ', 9), overlay.get('q other')], [null, [], 2])
})

test('in one commit the later write of a key wins', () => {
  const changes = stateChanges([new Map([['k', '1']]), new Map([['k', '2']])])
  assert.deepEqual(changes, [{ key: 'k', value: bytes(2) }])
})

test('prefetched keys are read once, missing keys too, and never cover a write', () => {
  const { reader, asked } = committed({ a: 1, b: 2 })
  const overlay = new Overlay(reader)
  overlay.put(new Map(), 'b', 3)
  overlay.prefetch(['a', 'b', 'missing'])
  assert.deepEqual([overlay.get('a'), overlay.get('b'), overlay.get('missing'), asked], [1, 3, null, []])
})

test('a large committed value is not cached', () => {
  const state = committed()
  const overlay = new Overlay(state.reader)
  const writes: Writes = new Map()
  const large = 'x'.repeat(10_000)
  overlay.put(writes, 'large', large)
  assert.equal(overlay.get('large'), large)
  state.commit([writes])
  overlay.markCommitted(writes)
  assert.deepEqual([overlay.get('large'), overlay.get('large'), overlay.get('missing')], [large, large, null])
  assert.deepEqual(state.asked, ['large', 'large', 'missing'])
})

test('a rollback restores the committed value, the earlier write or the missing key, in ranges too', () => {
  const { reader, commit } = committed({ pa: 1 })
  const overlay = new Overlay(reader)
  const earlier: Writes = new Map()
  overlay.put(earlier, 'pb', 2)
  overlay.put(earlier, 'pd', 4)
  const all = overlay.range('p', 9)
  const writes: Writes = new Map()
  const before = new Map(['pa', 'pb', 'pc', 'pd'].map((key) => [key, overlay.pendingWrite(key)]))
  for (const [key, value] of [
    ['pa', null],
    ['pb', 22],
    ['pc', 33],
    ['pd', null],
  ] as const)
    overlay.put(writes, key, value)
  commit([earlier])
  overlay.markCommitted(earlier)
  overlay.undo(writes, before)
  assert.deepEqual(overlay.range('p', 9), all)
  commit([writes])
  overlay.markCommitted(writes)
  assert.deepEqual(overlay.range('p', 9), all)
  assert.deepEqual(new Overlay(reader).range('p', 9), all)
  assert.equal(overlay.size, 0)
})
