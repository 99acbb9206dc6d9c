import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowChange } from './change.ts'
import { testRow, testSpace } from './contract/setup.ts'
import { fold as foldInto } from './fold.ts'
import type { StoredRow } from './row.ts'
import { type FactRow, facts } from './tables/facts.ts'

const fold = (changes: readonly RowChange<FactRow>[], stored: ReadonlyMap<string, StoredRow>) =>
  foldInto(facts, changes, stored)
const key = `${testSpace}/a`
const put = (offset: number, fields: Partial<StoredRow<FactRow>> = {}): RowChange<FactRow> => ({
  kind: 'put',
  row: testRow('a', offset, fields),
})
const patch = (offset: number, fields: Partial<StoredRow<FactRow>>): RowChange<FactRow> => ({
  kind: 'patch',
  space: testSpace,
  id: 'a',
  fields,
  offset,
})
const remove = (offset: number): RowChange<FactRow> => ({ kind: 'remove', space: testSpace, id: 'a', offset })
const putIfAbsent = (offset: number): RowChange<FactRow> => ({ kind: 'putIfAbsent', row: testRow('a', offset) })

test('changes to one row fold into one row, in their order', () => {
  const rows = fold([put(1), patch(2, { validTo: 7 }), patch(3, { text: 'new' })], new Map())
  assert.deepEqual([...rows], [[key, { ...testRow('a', 1), validTo: 7, text: 'new', offset: 3 }]])
})

test('a patch changes the stored row, and nothing where there is none or only a tombstone', () => {
  const stored = testRow('a', 1)
  assert.deepEqual(fold([patch(2, { knownTo: 9 })], new Map([[key, stored]])).get(key), {
    ...stored,
    knownTo: 9,
    offset: 2,
  })
  assert.equal(fold([patch(2, { knownTo: 9 })], new Map()).size, 0)
  assert.equal(fold([patch(2, { knownTo: 9 })], new Map([[key, { ...stored, deleted: true }]])).size, 0)
})

test('a row is known until its first retirement, also if its times are corrected later', () => {
  const row = fold([put(1), patch(2, { validTo: 5, knownTo: 8 }), patch(3, { validTo: 4, knownTo: 9 })], new Map()).get(
    key,
  )
  assert.deepEqual([row?.validTo, row?.knownTo], [4, 8])
})

test('a tombstone keeps identity, numbers and times, no flag and no words of people', () => {
  const stored = testRow('a', 1)
  const { id, space, seq, at, offset, deleted, ...others } =
    fold([remove(2)], new Map([[key, stored]])).get(key) ?? stored
  assert.deepEqual([id, space, seq, at, offset, deleted], ['a', testSpace, 1, stored.at, 2, true])
  const kept = Object.entries(others).filter(
    ([, value]) => typeof value !== 'number' && value !== null && !['', 'false'].includes(`${value}`),
  )
  assert.deepEqual(kept, [])
})

test('the first row of a key wins under putIfAbsent, in the table, in the batch, and over a tombstone', () => {
  assert.equal(fold([putIfAbsent(1), putIfAbsent(2)], new Map()).get(key)?.offset, 1)
  assert.equal(fold([putIfAbsent(2)], new Map([[key, testRow('a', 1)]])).size, 0)
  assert.equal(fold([put(1), remove(2), putIfAbsent(3)], new Map()).get(key)?.deleted, true)
})

test('a put brings a removed row back', () => {
  assert.equal(fold([put(1), remove(2), put(3)], new Map()).get(key)?.deleted, false)
})

test('the result does not depend on where batches end', () => {
  const changes = [patch(0, { text: 'x' }), put(1), remove(2), patch(3, { text: 'y' }), put(4), patch(5, { seq: 9 })]
  const whole = fold(changes, new Map())
  for (let cut = 0; cut <= changes.length; cut += 1) {
    const first = fold(changes.slice(0, cut), new Map())
    const both = new Map([...first, ...fold(changes.slice(cut), first)])
    assert.deepEqual(both, whole, `cut at ${cut}`)
  }
})

test('an edit replaces the stored row, and does nothing without a row or with only a tombstone', () => {
  const edit: RowChange<FactRow> = {
    kind: 'edit',
    space: testSpace,
    id: 'a',
    offset: 2,
    edit: (row) => ({ text: `${row.text}!` }),
  }
  const stored = testRow('a', 1, { text: 'old' })
  assert.deepEqual(fold([edit], new Map([[key, stored]])).get(key), { ...stored, text: 'old!', offset: 2 })
  assert.equal(fold([put(1, { text: 'new' }), edit], new Map()).get(key)?.text, 'new!')
  assert.equal(fold([edit], new Map()).size, 0)
  assert.equal(fold([edit], new Map([[key, { ...stored, deleted: true }]])).size, 0)
})
