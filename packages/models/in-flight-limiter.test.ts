import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { inFlightLimiter } from './in-flight-limiter.ts'

/** Calls that end when the test says so, and the spaces whose calls started, in that order. */
function heldCalls(slots: number) {
  const limiter = inFlightLimiter(slots)
  const started: string[] = []
  const running: { readonly name: string; end(): void }[] = []
  function queue(
    forSpace: string,
    { times, isBackground }: { readonly times: number; readonly isBackground: boolean },
  ) {
    for (let n = 0; n < times; n += 1) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const work = () => {
        started.push(forSpace)
        running.push({ name: forSpace, end: resolve })
        return promise
      }
      void limiter.run(work, { forSpace, isBackground })
    }
  }
  return {
    started,
    ask: (forSpace: string, times = 1) => queue(forSpace, { times, isBackground: false }),
    replay: (times: number) => queue('replay', { times, isBackground: true }),
    async end(forSpace: string): Promise<void> {
      const at = running.findIndex(({ name }) => name === forSpace)
      running.splice(at, 1)[0]?.end()
      await soon()
    },
  }
}

test('a free slot goes to the space with fewer calls in flight, however many another had queued before', async () => {
  const { ask, end, started } = heldCalls(4)
  ask('many')
  await soon()
  await end('many')
  ask('many', 20)
  await soon()
  assert.deepEqual(started, Array(5).fill('many'), 'a fast space has all the slots')
  ask('few', 3)
  ask('other', 2)
  started.length = 0
  for (const each of ['many', 'many', 'few', 'other', 'few']) await end(each)
  assert.deepEqual(started, ['few', 'other', 'few', 'other', 'few'])
})

test('a slow or new space leaves half of the slots free, also while no other space waits', async (t) => {
  t.mock.method(performance, 'now', () => now)
  let now = 0
  const { ask, end, started } = heldCalls(8)
  ask('slow', 20)
  await soon()
  assert.equal(started.length, 4)
  now = 60_000
  await end('slow')
  assert.equal(started.length, 5)
  ask('quick')
  ask('other')
  await soon()
  assert.deepEqual(started.slice(-2), ['quick', 'other'])
})

test('a slow space that was alone for a minute leaves an eighth of the slots free, and half again when another space comes', async (t) => {
  t.mock.method(performance, 'now', () => now)
  let now = 0
  const { ask, end, started } = heldCalls(16)
  ask('slow', 40)
  await soon()
  assert.equal(started.length, 8)
  now = 60_001
  await end('slow')
  assert.equal(started.length, 15, 'fourteen are in flight')
  ask('other', 2)
  await soon()
  assert.deepEqual(started.slice(15), ['other'])
  started.length = 0
  for (let n = 0; n < 7; n += 1) await end('slow')
  assert.deepEqual(started, ['other'])
})

test('calls of one space start in their order, and one slot is enough', async () => {
  const limiter = inFlightLimiter(1)
  const order: number[] = []
  const work = (n: number) => async () => {
    order.push(n)
    await soon()
  }
  await Promise.all([1, 2, 3, 4].map((n) => limiter.run(work(n), { forSpace: 'a' })))
  assert.deepEqual(order, [1, 2, 3, 4])
})

test('live calls go before background calls, which leave slots free while there are live ones, and always progress', async () => {
  const calls = heldCalls(8)
  const { end, started } = calls
  calls.ask('live')
  await soon()
  await end('live')
  calls.replay(1)
  await soon()
  await end('replay')
  started.length = 0
  calls.replay(20)
  await soon()
  assert.equal(started.length, 7, 'an eighth stays free')
  calls.ask('live', 2)
  await soon()
  assert.deepEqual(started.slice(7), ['live'])
  for (let n = 0; n < 2; n++) await end('replay')
  assert.deepEqual(started.slice(8), ['live'], 'a free slot goes to live work, and the reserve comes back first')
  const narrow = heldCalls(1)
  narrow.ask('live')
  narrow.replay(1)
  await soon()
  await narrow.end('live')
  assert.deepEqual(narrow.started, ['live', 'replay'])
})
