import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold, type RowChange } from './change.ts'
import { testRow, testSpace } from './fixture.ts'
import type { Row } from './row.ts'

const key = `${testSpace}/a`
const put = (offset: number, fields: Partial<Row> = {}): RowChange => ({
  kind: 'put',
  row: testRow('a', offset, fields),
})
const patch = (offset: number, fields: Partial<Row>): RowChange => ({
  kind: 'patch',
  space: testSpace,
  id: 'a',
  fields,
  offset,
})
const remove = (offset: number): RowChange => ({ kind: 'remove', space: testSpace, id: 'a', offset })
const putIfAbsent = (offset: number): RowChange => ({ kind: 'putIfAbsent', row: testRow('a', offset) })

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

test('a patch of the payload sets what it names, and keeps the rest', () => {
  const stored = testRow('a', 1, { payload: '{"facts":["f"],"by":"x"}' })
  const change: RowChange = { kind: 'patch', space: testSpace, id: 'a', fields: {}, payload: { by: 'y' }, offset: 2 }
  assert.equal(fold([change], new Map([[key, stored]])).get(key)?.payload, '{"facts":["f"],"by":"y"}')
})

test('what is no longer known stays so from the first time on, whatever is corrected later', () => {
  const row = fold([put(1), patch(2, { validTo: 5, knownTo: 8 }), patch(3, { validTo: 4, knownTo: 9 })], new Map()).get(
    key,
  )
  assert.deepEqual([row?.validTo, row?.knownTo], [4, 8])
})

test('a tombstone keeps the identity and nothing that anyone said', () => {
  const tombstone = fold([remove(2)], new Map([[key, testRow('a', 1)]])).get(key)
  const { id, space, text, payload, speaker, conversation, vector, deleted, offset } = tombstone ?? testRow('?', 0)
  assert.deepEqual([id, space, deleted, offset], ['a', testSpace, true, 2])
  assert.deepEqual([text, payload, speaker, conversation, vector], ['', '', '', '', null])
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

test('an edit makes another row of the one that stands there, and nothing where there is none or only a tombstone', () => {
  const edit: RowChange = {
    ...{ kind: 'edit', space: testSpace, id: 'a', offset: 2 },
    edit: (row) => ({ ...row, text: `${row.text}!` }),
  }
  const stored = testRow('a', 1, { text: 'old' })
  assert.deepEqual(fold([edit], new Map([[key, stored]])).get(key), { ...stored, text: 'old!', offset: 2 })
  assert.equal(fold([put(1, { text: 'new' }), edit], new Map()).get(key)?.text, 'new!')
  assert.equal(fold([edit], new Map()).size, 0)
  assert.equal(fold([edit], new Map([[key, { ...stored, deleted: true }]])).size, 0)
})
