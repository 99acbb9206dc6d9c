import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Lanes } from './lanes.ts'

function started(signal = new AbortController().signal) {
  const errors: unknown[] = []
  const running = new Map<string, () => void>()
  const began: string[] = []
  const lanes = new Lanes(signal, (error) => errors.push(error))
  const add = (name: string, lane: string | null, space = 's') =>
    lanes.add({
      space,
      lane,
      run: () => {
        began.push(name)
        return new Promise((resolve) => running.set(name, resolve))
      },
    })
  const finish = async (name: string) => {
    running.get(name)?.()
    await turn()
  }
  return { lanes, add, finish, began, errors }
}

test('work of one lane runs in order, and lanes run in parallel', async () => {
  const { add, finish, began } = started()
  add('a1', 'a')
  add('a2', 'a')
  add('b1', 'b')
  await turn()
  assert.deepEqual(began, ['a1', 'b1'])
  await finish('a1')
  assert.deepEqual(began, ['a1', 'b1', 'a2'])
})

test('work on a whole space waits for all earlier work there, later work waits for it, and other spaces are not affected', async () => {
  const { add, finish, began } = started()
  add('a1', 'a')
  add('b1', 'b')
  add('whole', null)
  add('a2', 'a')
  add('c1', 'c')
  add('elsewhere', 'a', 'other')
  await turn()
  assert.deepEqual(began, ['a1', 'b1', 'elsewhere'])
  await finish('a1')
  assert.deepEqual(began, ['a1', 'b1', 'elsewhere'])
  await finish('b1')
  assert.deepEqual(began.slice(3), ['whole'])
  add('b2', 'b')
  await finish('whole')
  assert.deepEqual(began.slice(4), ['a2', 'c1', 'b2'])
})

test('after synchronous work the next piece starts at once, in order', async () => {
  const began: string[] = []
  const errors: unknown[] = []
  const lanes = new Lanes(new AbortController().signal, (error) => errors.push(error))
  const slow = Promise.withResolvers<void>()
  const add = (name: string, lane: string | null, done?: Promise<void>) =>
    lanes.add({
      space: 's',
      lane,
      run: () => {
        began.push(name)
        if (name === 'broken') throw new Error('at once')
        return done
      },
    })
  add('a1', 'a')
  add('whole 1', null)
  add('broken', 'a')
  assert.equal(lanes.size, 0, 'all work is done')
  add('a2', 'a', slow.promise)
  add('whole 2', null)
  add('whole 3', null)
  add('b1', 'b')
  add('a3', 'a')
  assert.deepEqual(began, ['a1', 'whole 1', 'broken', 'a2'])
  slow.resolve()
  await lanes.idle()
  assert.deepEqual(began.slice(4), ['whole 2', 'whole 3', 'b1', 'a3'])
  assert.deepEqual(errors.map(String), ['Error: at once'])
})

test('an idle lane is removed', async () => {
  const { lanes, add, finish } = started()
  add('a1', 'a')
  add('whole', null)
  add('b1', 'b', 'other')
  await turn()
  await finish('a1')
  await finish('whole')
  assert.equal(lanes.size, 1)
  await finish('b1')
  assert.equal(lanes.size, 0)
})

test('a piece added at any moment after the previous one ended runs', async () => {
  for (let microtasks = 0; microtasks < 12; microtasks++) {
    const lanes = new Lanes(new AbortController().signal, (error) => assert.fail(String(error)))
    const before = Promise.withResolvers<void>()
    lanes.add({ space: 's', lane: 'a', run: () => before.promise })
    before.resolve()
    for (let n = 0; n < microtasks; n++) await null
    let ran = false
    lanes.add({
      space: 's',
      lane: 'a',
      run: () => {
        ran = true
      },
    })
    await turn()
    assert.ok(ran, `${microtasks} microtasks later`)
    assert.equal(lanes.size, 0)
  }
})

test('a failure is reported, and nothing starts once the signal has aborted', async () => {
  const over = new AbortController()
  const failures: unknown[] = []
  const lanes = new Lanes(over.signal, (error) => {
    failures.push(error)
    over.abort()
  })
  lanes.add({ space: 's', lane: 'a', run: () => Promise.reject(new Error('broken')) })
  lanes.add({ space: 's', lane: 'a', run: () => Promise.reject(new Error('never runs')) })
  await lanes.idle()
  assert.deepEqual(failures.map(String), ['Error: broken'])
})
