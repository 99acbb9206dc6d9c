import assert from 'node:assert/strict'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
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
    const state = new LocalState(join(dir, '0.db'), assert.fail)
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

test('a killed process leaves the file whole at an earlier mark, and a process that closes it leaves the last mark', (t) => {
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

test('many changes are written without a call of write', (t) => {
  const open = opener(t)
  const state = open()
  for (let n = 1; n <= 17_000; n++) state.apply([change(`${n}`, 'x')], mark(n))
  const { next } = open().mark ?? { next: 0 }
  assert.ok(next >= 16_384 && next < 17_000, `${next} of 17000`)
})

test('of two holders of the file, the one that did not write last may not write, and closes the file unchanged', (t) => {
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

test('a range merges the file with unwritten changes, in the bytewise order of the keys, and writes nothing', (t) => {
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

test('a damaged copy is rebuilt, and one that cannot be written is closed nevertheless', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-state-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, '0.db')
  writeFileSync(file, 'no database at all, '.repeat(400))
  const rebuilds: string[] = []
  const state = new LocalState(file, (message) => rebuilds.push(message))
  assert.match(rebuilds.join(), /0\.db is damaged/)
  assert.equal(state.mark, null)
  state.apply([change('a', '1')], mark(2))
  const other = new DatabaseSync(file)
  other.exec('drop table mark')
  state.close()
  other.close()
})

test('a damaged page that is read later ends the lease, and the file is deleted: the next owner begins with an empty one', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-state-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, '0.db')
  const fenced = (error: unknown) => isLoomlogError(error, 'fenced') && error.message.includes(file)
  const keys = Array.from({ length: 20_000 }, (_, n) => `${n}`.padStart(6, '0'))
  const ends: ((state: LocalState) => unknown)[] = [
    (state) => keys.map((key) => state.get(key)),
    (state) => state.getMany(keys),
    (state) => state.range('', keys.length),
    (state) => {
      state.apply(
        keys.map((key) => change(key, 'new')),
        mark(keys.length + 1),
      )
      state.write()
    },
    (state) => state.clear(),
  ]
  for (const end of ends) {
    const whole = new LocalState(file, assert.fail)
    whole.apply(
      keys.map((key) => change(key, key.padEnd(500))),
      mark(keys.length),
    )
    whole.close()
    assert.ok(statSync(file).size > 8_000_000, 'larger than what is checked when it is opened')
    damagePages(file)
    const state = new LocalState(file, assert.fail)
    assert.equal(state.mark?.next, keys.length)
    assert.throws(() => end(state), fenced)
    assert.throws(() => state.get('another'), fenced)
    assert.ok(!existsSync(file))
    state.close()
    const next = new LocalState(file, assert.fail)
    assert.deepEqual([next.mark, next.get('000001')], [null, null])
    next.close()
  }
})

test('forgotten changes are not written', (t) => {
  const open = opener(t)
  const state = open()
  state.apply([change('a', '1')], mark(3))
  state.forget()
  state.close()
  assert.deepEqual([open().mark, open().get('a')], [null, null])
})

/** Overwrites every page but the first ten, which hold the schema and the mark. */
function damagePages(file: string): void {
  const start = 40_960
  const damage = Buffer.alloc(statSync(file).size - start, 0xff)
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, damage, 0, damage.length, start)
  closeSync(descriptor)
}
