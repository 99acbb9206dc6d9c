import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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

test('applied changes are read at once, written or not', (t) => {
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

test('a process that dies leaves the file whole at an earlier mark, and one that closes it at the last mark', (t) => {
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
  for (let n = 1; n <= 17_000; n++) state.apply([change(`${n}`, 'x')], mark(n))
  const { next } = open().mark ?? { next: 0 }
  assert.ok(next >= 16_384 && next < 17_000, `${next} of 17000`)
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

test('a range is that of the file with what waits laid over it, by the bytes of the keys, and writes nothing', (t) => {
  const open = opener(t)
  const state = open()
  state.apply([change('p1', '1'), change('p3', '3'), change('p5', '5'), change('q', '9')], mark(5))
  state.write()
  state.apply([change('p3', null), change('p4', '4'), change('p\u{1f642}', '6'), change('p\uffee', '7')], mark(9))
  const keys = (limit: number) => state.range('p', limit).map(([key]) => key)
  assert.deepEqual(keys(9), ['p1', 'p4', 'p5', 'p\uffee', 'p\u{1f642}'])
  assert.deepEqual(keys(2), ['p1', 'p4'])
  assert.equal(open().mark?.next, 5)
})

test('a copy that is damaged is made again, and one that cannot be written is closed all the same', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-state-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, '0.db')
  writeFileSync(file, 'no database at all, '.repeat(400))
  const state = new LocalState(file)
  assert.equal(state.mark, null)
  state.apply([change('a', '1')], mark(2))
  const other = new DatabaseSync(file)
  other.exec('drop table mark')
  state.close()
  other.close()
})

test('forgotten changes are not written', (t) => {
  const open = opener(t)
  const state = open()
  state.apply([change('a', '1')], mark(3))
  state.forget()
  state.close()
  assert.deepEqual([open().mark, open().get('a')], [null, null])
})
