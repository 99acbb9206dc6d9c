import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { LocalState } from './state.ts'

function opener(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-state-'))
  const opened: LocalState[] = []
  t.after(() => {
    for (const state of opened) state.close()
    rmSync(dir, { recursive: true })
  })
  return () => {
    const state = new LocalState(join(dir, '0.db'))
    opened.push(state)
    return state
  }
}

const mark = (next: number) => ({ incarnation: 'i', leaseOffset: next - 1, next, appliedAt: Date.now() })
const change = (key: string, text: string | null) => ({ key, value: text === null ? null : Buffer.from(text) })
const text = (value: Uint8Array | null | undefined) => value && Buffer.from(value).toString()

test('what was applied is read at once, written or not', (t) => {
  const state = opener(t)()
  state.apply([change('a', '1'), change('b', '2')], mark(3))
  state.write()
  state.apply([change('a', '3'), change('b', null), change('c', '4')], mark(7))
  assert.deepEqual([text(state.get('a')), state.get('b'), text(state.get('c')), state.get('d')], ['3', null, '4', null])
  const many = [...state.getMany(['a', 'b', 'c', 'd'])].map(([key, value]) => [key, text(value)])
  assert.deepEqual(
    new Map(many as [string, string][]),
    new Map([
      ['a', '3'],
      ['c', '4'],
    ]),
  )
  assert.deepEqual(
    state.range('', 9).map(([key]) => key),
    ['a', 'c'],
  )
  assert.equal(state.mark?.next, 7)
})

test('whoever dies leaves the file at an earlier mark, whole; whoever closes it, at the last one', (t) => {
  const open = opener(t)
  const state = open()
  state.apply([change('a', '1')], mark(3))
  state.write()
  state.apply([change('a', '2')], mark(5))
  const asIfDead = open()
  assert.deepEqual([asIfDead.mark?.next, text(asIfDead.get('a'))], [3, '1'])
  state.close()
  const next = open()
  assert.deepEqual([next.mark?.next, text(next.get('a'))], [5, '2'])
})

test('many changes are written by themselves', (t) => {
  const open = opener(t)
  const state = open()
  for (let n = 1; n <= 5_000; n++) state.apply([change(`${n}`, 'x')], mark(n))
  const { next } = open().mark ?? { next: 0 }
  assert.ok(next >= 4_096 && next < 5_000, `${next} of 5000`)
})

test('of two who hold the file, the one who did not write it last may not write, and closes it as it is', (t) => {
  const open = opener(t)
  const before = open()
  before.apply([change('a', 'before')], mark(3))
  const after = open()
  after.apply([change('a', 'after')], mark(4))
  after.write()
  assert.throws(
    () => before.write(),
    (error) => isLoomlogError(error, 'fenced'),
  )
  before.close()
  assert.equal(text(open().get('a')), 'after')
})

test('what is forgotten is not written', (t) => {
  const open = opener(t)
  const state = open()
  state.apply([change('a', '1')], mark(3))
  state.forget()
  state.close()
  assert.deepEqual([open().mark, open().get('a')], [null, null])
})
