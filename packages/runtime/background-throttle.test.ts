import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { BackgroundThrottle } from './background-throttle.ts'
import type { Throttle } from './throttle.ts'

const never = new AbortController().signal

/** Replaces the timers and clocks of a test: time passes only in the returned function, which takes ms. */
function manualTime(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.mock.method(performance, 'now', () => Date.now())
  return async (ms: number) => {
    await settled()
    for (let passed = 0; passed < ms; passed += 1) {
      t.mock.timers.tick(1)
      await settled()
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function throttles(t: TestContext, share = 0.25) {
  const advance = manualTime(t)
  const background = new BackgroundThrottle()
  const live = background.throttle({ isLive: () => true, share: () => share })
  return { advance, live, behind: background.throttle({ isLive: () => false, share: () => share }) }
}

/** Pieces of work that end when the test ends them. */
function pieces() {
  const open: (() => void)[] = []
  return { open, work: () => new Promise<void>((resolve) => open.push(resolve)) }
}

/** Runs six pieces of 20 ms each. @returns the most that ran at one time */
async function mostAtOnce(throttle: Throttle): Promise<number> {
  let atWork = 0
  let most = 0
  const piece = async () => {
    most = Math.max(most, ++atWork)
    await sleep(20)
    atWork -= 1
  }
  await Promise.all(Array.from({ length: 6 }, () => throttle.run(piece, never)))
  return most
}

test('without live work, background work is not throttled', async (t) => {
  const { advance, behind } = throttles(t)
  const { open, work } = pieces()
  const all = Array.from({ length: 50 }, () => behind.run(work, never))
  await advance(0)
  assert.equal(open.length, 50)
  for (const end of open) end()
  await Promise.all(all)
})

test('beside live work few background pieces run at a time, and each is followed by a rest', async (t) => {
  const { advance, live, behind } = throttles(t)
  await live.run(async () => {}, never)
  let most = 0
  const all = mostAtOnce(behind).then((result) => {
    most = result
  })
  // Three rounds of 20 ms, and after two of them three times that: a quarter of the time.
  await advance(179)
  assert.equal(most, 0)
  await advance(1)
  assert.equal(most, 2)
  await all
})

test('a piece that fails frees its slot', async (t) => {
  const { advance, live, behind } = throttles(t)
  await live.run(async () => {}, never)
  for (let n = 0; n < 8; n += 1) {
    const failing = behind.run(async () => {
      await sleep(1)
      throw new Error('given up')
    }, never)
    const refused = assert.rejects(Promise.resolve(failing), /given up/)
    await advance(10)
    await refused
  }
  const most = mostAtOnce(behind)
  await advance(200)
  assert.equal(await most, 2)
})

test('pieces that wait for a slot start some seconds after the end of live work', async (t) => {
  const { advance, live, behind } = throttles(t)
  const { open, work } = pieces()
  await live.run(async () => {}, never)
  const started = Array.from({ length: 10 }, () => behind.run(work, never))
  await advance(4_999)
  assert.equal(open.length, 2)
  await advance(1)
  assert.equal(open.length, 10)
  for (const end of open) end()
  await Promise.all(started)
})

test('live work counts as present while it runs, and until five seconds after its last piece', async (t) => {
  const { advance, live, behind } = throttles(t)
  const { open, work } = pieces()
  const long = live.run(work, never)
  live.run(() => 7, never)
  await advance(6_000)
  assert.equal(behind.isBesideLiveWork, true, 'a piece runs')
  open[0]?.()
  await long
  await advance(3_000)
  live.run(() => 7, never)
  await advance(4_999)
  assert.equal(behind.isBesideLiveWork, true)
  await advance(1)
  assert.equal(behind.isBesideLiveWork, false)
})

test('a lease that ends removes its pieces from the queue for a slot', async (t) => {
  const { advance, live, behind } = throttles(t)
  const { open, work } = pieces()
  await live.run(async () => {}, never)
  const first = Array.from({ length: 2 }, () => behind.run(work, never))
  const lease = new AbortController()
  const left = Array.from({ length: 3 }, () => Promise.resolve(behind.run(() => assert.fail('it began'), lease.signal)))
  let isDone = false
  const last = behind.run(() => {
    isDone = true
  }, never)
  await advance(1)
  lease.abort(new Error('the lease is over'))
  for (const each of left) await assert.rejects(each, /the lease is over/)
  for (const end of open) end()
  await advance(100)
  assert.ok(isDone, 'it lost its slot')
  await Promise.all([...first, last])
})

test('pieces start in the order of their arrival, regardless of other leases’ load', async (t) => {
  const { advance, live, behind } = throttles(t)
  await live.run(async () => {}, never)
  let over = false
  const busy = Array.from({ length: 6 }, async () => {
    while (!over) await behind.run(() => sleep(1), never)
  })
  await advance(50)
  let began = false
  const late = behind.run(() => {
    began = true
  }, never)
  await advance(50)
  assert.ok(began)
  over = true
  await advance(100)
  await Promise.all([...busy, late])
})

test('live work never waits for background work', async (t) => {
  const { advance, live, behind } = throttles(t)
  const { open, work } = pieces()
  const slow = Array.from({ length: 10 }, () => behind.run(work, never))
  await advance(0)
  let began = false
  await live.run(async () => {
    began = true
  }, never)
  assert.equal(began, true)
  for (const end of open) end()
  await Promise.all(slow)
})

test('beside live work that never pauses, background work has its share of the time', async (t) => {
  const { advance, live, behind } = throttles(t)
  const { open, work } = pieces()
  const unending = live.run(work, never)
  let done = 0
  const lease = new AbortController()
  const all = Array.from({ length: 400 }, async () => {
    await behind.run(() => sleep(4), lease.signal)
    done += 1
  })
  await advance(1_600)
  assert.ok(done >= 198 && done <= 202, `${done} pieces: two slots, and 16 ms for each piece of 4 ms with its rest`)
  const over = Promise.allSettled([...all, unending])
  lease.abort(new Error('the test is over'))
  open[0]?.()
  await advance(10)
  await over
})

test('a piece whose lease has ended never starts', async (t) => {
  const { behind } = throttles(t)
  const over = AbortSignal.abort(new Error('the lease is over'))
  await assert.rejects(Promise.resolve(behind.run(() => assert.fail('it began'), over)), /the lease is over/)
})

test('live work that returns or throws synchronously no longer counts as running', async (t) => {
  const { advance, live, behind } = throttles(t)
  assert.equal(
    live.run(() => 7, never),
    7,
  )
  assert.throws(() => live.run(() => assert.fail('broken'), never), /broken/)
  await advance(5_000)
  const most = mostAtOnce(behind)
  await advance(20)
  assert.equal(await most, 6)
})

test('work that a promotion makes live is not throttled', async (t) => {
  const advance = manualTime(t)
  const background = new BackgroundThrottle()
  let isLive = false
  const throttle = background.throttle({ isLive: () => isLive, share: () => 0.25 })
  await background.throttle({ isLive: () => true, share: () => 1 }).run(async () => {}, never)
  assert.deepEqual([throttle.isLive, throttle.isBesideLiveWork], [false, true])
  isLive = true
  assert.deepEqual([throttle.isLive, throttle.isBesideLiveWork], [true, false])
  const most = mostAtOnce(throttle)
  await advance(20)
  assert.equal(await most, 6)
})

test('neither the rest of a slot nor the time after live work keeps the process running', async () => {
  const background = new BackgroundThrottle()
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  await background.throttle({ isLive: () => true, share: () => 1 }).run(async () => {}, never)
  await background.throttle({ isLive: () => false, share: () => 0.01 }).run(() => sleep(5), never)
  assert.equal(timers(), before)
})
