import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackgroundThrottle } from './background-throttle.ts'
import type { Throttle } from './throttle.ts'

const never = new AbortController().signal

function throttles(share = 0.25) {
  const background = new BackgroundThrottle()
  const live = background.throttle({ isLive: () => true, share: () => share })
  return { live, behind: background.throttle({ isLive: () => false, share: () => share }) }
}

/** Pieces of work that end when the test ends them. */
function pieces() {
  const open: (() => void)[] = []
  return { open, work: () => new Promise<void>((resolve) => open.push(resolve)) }
}

/** Of six pieces of 20 ms each. */
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

test('without live work, background work is not throttled', async () => {
  const { behind } = throttles()
  const { open, work } = pieces()
  const all = Array.from({ length: 50 }, () => behind.run(work, never))
  await sleep(0)
  assert.equal(open.length, 50)
  for (const end of open) end()
  await Promise.all(all)
})

test('background work waits for running live work, but not for ever', async () => {
  const { live, behind } = throttles()
  const { open, work } = pieces()
  const first = live.run(work, never)
  let began = false
  const later = behind.run(async () => {
    began = true
  }, never)
  await sleep(100)
  assert.equal(began, false)
  await later
  assert.equal(began, true, 'though the live work is not done')
  open[0]?.()
  await first
})

test('beside live work few background pieces run at a time, and each is followed by a rest', async () => {
  const { live, behind } = throttles()
  await live.run(async () => {}, never)
  const startedAt = performance.now()
  assert.equal(await mostAtOnce(behind), 2)
  // Three rounds of at least 20 ms, and after two of them three times that: a quarter of the time.
  assert.ok(performance.now() - startedAt >= 170, `${performance.now() - startedAt} ms`)
})

test('time spent waiting for a model counts neither as live work nor towards a rest', async () => {
  const { live, behind } = throttles()
  const { open, work } = pieces()
  const asking = live.run(() => live.whileWaiting(work), never)
  const waitMs = 200
  const answers = Array.from({ length: 4 }, () => behind.run(() => behind.whileWaiting(() => sleep(waitMs)), never))
  await Promise.all(answers)
  // The rests would be three times as long as the waits.
  const rested = sleep(2 * waitMs, 'after a rest')
  const next = Promise.resolve(behind.run(() => 'at once', never))
  assert.equal(await Promise.race([next, rested]), 'at once')
  open[0]?.()
  await asking
})

test('a piece that waits for a model frees its slot, and maxBackground pieces are started at most', async () => {
  const { live, behind } = throttles()
  await live.run(async () => {}, never)
  const { open, work } = pieces()
  const asking = Array.from({ length: 3 }, () => behind.run(() => behind.whileWaiting(work), never))
  let began = false
  await behind.run(() => {
    began = true
  }, never)
  assert.deepEqual([open.length, began], [3, true])
  const oneMore = behind.run(() => behind.whileWaiting(work), never)
  const tooMany = behind.run(() => behind.whileWaiting(work), never)
  await sleep(50)
  assert.equal(open.length, 4)
  for (const end of open) end()
  while (open.length < 5) await sleep(1)
  open[4]?.()
  await Promise.all([...asking, oneMore, tooMany])
})

test('a lease that ends while its pieces wait for several asks at once keeps no slot', async () => {
  const { live, behind } = throttles()
  await live.run(async () => {}, never)
  const { open, work } = pieces()
  for (let n = 0; n < 8; n += 1) {
    const given = behind.run(async () => {
      void behind.whileWaiting(work)
      void behind.whileWaiting(work)
      await sleep(1)
      throw new Error('given up')
    }, never)
    await assert.rejects(Promise.resolve(given), /given up/)
  }
  for (const end of open) end()
  await sleep(20)
  assert.equal(await mostAtOnce(behind), 2)
})

test('pieces that wait for a slot start when live work has been gone for some seconds', async () => {
  const { live, behind } = throttles()
  const { open, work } = pieces()
  await live.run(async () => {}, never)
  const started = Array.from({ length: 10 }, () => behind.run(work, never))
  await sleep(50)
  assert.equal(open.length, 2)
  for (let looks = 0; open.length < 10 && looks < 1_000; looks += 1) await sleep(10)
  assert.equal(open.length, 10)
  for (const end of open) end()
  await Promise.all(started)
})

test('a lease that ends leaves the queue for a slot to the others', async () => {
  const { live, behind } = throttles()
  const { open, work } = pieces()
  await live.run(async () => {}, never)
  const first = Array.from({ length: 2 }, () => behind.run(work, never))
  const lease = new AbortController()
  const left = Array.from({ length: 3 }, () => Promise.resolve(behind.run(() => assert.fail('it began'), lease.signal)))
  const last = Promise.resolve(behind.run(() => 'done', never))
  await sleep(1)
  lease.abort(new Error('the lease is over'))
  for (const each of left) await assert.rejects(each, /the lease is over/)
  for (const end of open) end()
  assert.equal(await Promise.race([last, sleep(2_000, 'lost its slot')]), 'done')
  await Promise.all(first)
})

test('pieces start first come, first served, however busy other leases are', async () => {
  const { live, behind } = throttles()
  await live.run(async () => {}, never)
  let over = false
  const busy = Array.from({ length: 6 }, async () => {
    while (!over) await behind.run(() => sleep(1), never)
  })
  await sleep(50)
  const late = AbortSignal.timeout(60_000)
  await behind.run(() => {}, late)
  over = true
  await Promise.all(busy)
})

test('live work never waits for background work', async () => {
  const { live, behind } = throttles()
  const { open, work } = pieces()
  const slow = Array.from({ length: 10 }, () => behind.run(work, never))
  await sleep(0)
  let began = false
  await live.run(async () => {
    began = true
  }, never)
  assert.equal(began, true)
  for (const end of open) end()
  await Promise.all(slow)
})

test('beside live work that never pauses, background work has its share of the time', async () => {
  const { live, behind } = throttles()
  const { open, work } = pieces()
  const unending = live.run(work, never)
  const embedding = async (texts: number) => {
    for (let n = 0; n < texts; n += 1) {
      await behind.yieldToLive()
      await sleep(1)
    }
  }
  let done = 0
  const lease = new AbortController()
  const all = Array.from({ length: 200 }, async () => {
    await behind.run(() => embedding(4), lease.signal)
    done += 1
  })
  await sleep(1_500)
  // Two slots, and some 20 ms for each piece with its rests; without a bound, each would wait for seconds.
  assert.ok(done > 20 && done < 200, `${done} pieces`)
  lease.abort(new Error('the test is over'))
  open[0]?.()
  await Promise.allSettled([...all, unending])
})

test('a piece that waits for a slot when its lease ends never starts', async () => {
  const { live, behind } = throttles()
  const { open, work } = pieces()
  const under = live.run(work, never)
  const lease = new AbortController()
  const waiting = Promise.resolve(behind.run(() => assert.fail('it began'), lease.signal))
  lease.abort(new Error('the lease is over'))
  await assert.rejects(waiting, /the lease is over/)
  open[0]?.()
  await under
})

test('live work that returns or throws synchronously no longer counts as running', async () => {
  const { live, behind } = throttles()
  assert.equal(
    live.run(() => 7, never),
    7,
  )
  assert.throws(() => live.run(() => assert.fail('broken'), never), /broken/)
  const order: string[] = []
  const background = behind.run(() => order.push('background'), never)
  await sleep(1)
  order.push('timer')
  await background
  assert.deepEqual(order, ['background', 'timer'], 'it would wait for running live work')
})
