import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { BackgroundThrottle } from './background-throttle.ts'
import type { Throttle } from './throttle.ts'
import type { ThrottleClock } from './throttle-clock.ts'

const never = new AbortController().signal

/** Time passes only in `advance`. */
class ManualClock implements ThrottleClock {
  #nowMs = 0
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>()

  now(): number {
    return this.#nowMs
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#nowMs + ms, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Runs the timers that are due by then, in their order, each with all that follows from it. */
  async advance(ms: number): Promise<void> {
    const until = this.#nowMs + ms
    await settled()
    for (let next = this.#nextUntil(until); next !== undefined; next = this.#nextUntil(until)) {
      this.#timers.delete(next)
      this.#nowMs = next.at
      next.run()
      await settled()
    }
    this.#nowMs = until
  }

  #nextUntil(until: number) {
    return [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
  }
}

function throttles(share = 0.25) {
  const clock = new ManualClock()
  const background = new BackgroundThrottle(clock)
  const live = background.throttle({ isLive: () => true, share: () => share })
  return { clock, live, behind: background.throttle({ isLive: () => false, share: () => share }) }
}

/** Pieces of work that end when the test ends them. */
function pieces() {
  const open: (() => void)[] = []
  return { open, work: () => new Promise<void>((resolve) => open.push(resolve)) }
}

/** Runs six pieces of 20 ms each. @returns the most that ran at one time */
async function mostAtOnce(throttle: Throttle, clock: ManualClock): Promise<number> {
  let atWork = 0
  let most = 0
  const piece = async () => {
    most = Math.max(most, ++atWork)
    await clock.sleep(20)
    atWork -= 1
  }
  await Promise.all(Array.from({ length: 6 }, () => throttle.run(piece, never)))
  return most
}

test('without live work, background work is not throttled', async () => {
  const { clock, behind } = throttles()
  const { open, work } = pieces()
  const all = Array.from({ length: 50 }, () => behind.run(work, never))
  await clock.advance(0)
  assert.equal(open.length, 50)
  for (const end of open) end()
  await Promise.all(all)
})

test('background work waits for running live work, for a limited time', async () => {
  const { clock, live, behind } = throttles()
  const { open, work } = pieces()
  const first = live.run(work, never)
  let began = false
  const later = behind.run(async () => {
    began = true
  }, never)
  await clock.advance(499)
  assert.equal(began, false)
  await clock.advance(1)
  await later
  assert.equal(began, true, 'though the live work is not done')
  open[0]?.()
  await first
})

test('beside live work few background pieces run at a time, and each is followed by a rest', async () => {
  const { clock, live, behind } = throttles()
  await live.run(async () => {}, never)
  let most = 0
  const all = mostAtOnce(behind, clock).then((result) => {
    most = result
  })
  // Three rounds of 20 ms, and after two of them three times that: a quarter of the time.
  await clock.advance(179)
  assert.equal(most, 0)
  await clock.advance(1)
  assert.equal(most, 2)
  await all
})

test('time spent waiting for a model counts neither as live work nor towards a rest', async () => {
  const { clock, live, behind } = throttles()
  const { open, work } = pieces()
  const asking = live.run(() => live.whileWaiting(work), never)
  const waitMs = 200
  const answers = Array.from({ length: 4 }, () =>
    behind.run(() => behind.whileWaiting(() => clock.sleep(waitMs)), never),
  )
  await clock.advance(waitMs)
  await Promise.all(answers)
  let began = false
  const next = behind.run(() => {
    began = true
  }, never)
  await clock.advance(0)
  assert.ok(began, 'it would rest for three times the wait')
  await next
  open[0]?.()
  await asking
})

test('a piece that waits for a model frees its slot, and maxBackground pieces are started at most', async () => {
  const { clock, live, behind } = throttles()
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
  await clock.advance(50)
  assert.equal(open.length, 4)
  for (const end of open) end()
  await clock.advance(0)
  open[4]?.()
  await Promise.all([...asking, oneMore, tooMany])
})

test('a lease that ends while its pieces wait for several asks at once keeps no slot', async () => {
  const { clock, live, behind } = throttles()
  await live.run(async () => {}, never)
  const { open, work } = pieces()
  for (let n = 0; n < 8; n += 1) {
    const given = behind.run(async () => {
      void behind.whileWaiting(work)
      void behind.whileWaiting(work)
      await clock.sleep(1)
      throw new Error('given up')
    }, never)
    const refused = assert.rejects(Promise.resolve(given), /given up/)
    await clock.advance(10)
    await refused
  }
  for (const end of open) end()
  const most = mostAtOnce(behind, clock)
  await clock.advance(200)
  assert.equal(await most, 2)
})

test('pieces that wait for a slot start some seconds after the end of live work', async () => {
  const { clock, live, behind } = throttles()
  const { open, work } = pieces()
  await live.run(async () => {}, never)
  const started = Array.from({ length: 10 }, () => behind.run(work, never))
  await clock.advance(4_999)
  assert.equal(open.length, 2)
  await clock.advance(1)
  assert.equal(open.length, 10)
  for (const end of open) end()
  await Promise.all(started)
})

test('a lease that ends removes its pieces from the queue for a slot', async () => {
  const { clock, live, behind } = throttles()
  const { open, work } = pieces()
  await live.run(async () => {}, never)
  const first = Array.from({ length: 2 }, () => behind.run(work, never))
  const lease = new AbortController()
  const left = Array.from({ length: 3 }, () => Promise.resolve(behind.run(() => assert.fail('it began'), lease.signal)))
  let isDone = false
  const last = behind.run(() => {
    isDone = true
  }, never)
  await clock.advance(1)
  lease.abort(new Error('the lease is over'))
  for (const each of left) await assert.rejects(each, /the lease is over/)
  for (const end of open) end()
  await clock.advance(100)
  assert.ok(isDone, 'it lost its slot')
  await Promise.all([...first, last])
})

test('pieces start in the order of their arrival, regardless of other leases’ load', async () => {
  const { clock, live, behind } = throttles()
  await live.run(async () => {}, never)
  let over = false
  const busy = Array.from({ length: 6 }, async () => {
    while (!over) await behind.run(() => clock.sleep(1), never)
  })
  await clock.advance(50)
  let began = false
  const late = behind.run(() => {
    began = true
  }, never)
  await clock.advance(50)
  assert.ok(began)
  over = true
  await clock.advance(100)
  await Promise.all([...busy, late])
})

test('live work never waits for background work', async () => {
  const { clock, live, behind } = throttles()
  const { open, work } = pieces()
  const slow = Array.from({ length: 10 }, () => behind.run(work, never))
  await clock.advance(0)
  let began = false
  await live.run(async () => {
    began = true
  }, never)
  assert.equal(began, true)
  for (const end of open) end()
  await Promise.all(slow)
})

test('beside live work that never pauses, background work has its share of the time', async () => {
  const { clock, live, behind } = throttles()
  const { open, work } = pieces()
  const unending = live.run(work, never)
  const embedding = async (texts: number) => {
    for (let n = 0; n < texts; n += 1) {
      await behind.yieldToLive()
      await clock.sleep(1)
    }
  }
  let done = 0
  const lease = new AbortController()
  const all = Array.from({ length: 200 }, async () => {
    await behind.run(() => embedding(4), lease.signal)
    done += 1
  })
  await clock.advance(1_500)
  // Two slots, and 16 ms for each piece of 4 ms with its rests, after a first wait of 500 ms; without a bound, each would wait for seconds.
  assert.ok(done > 100 && done <= 126, `${done} pieces`)
  const over = Promise.allSettled([...all, unending])
  lease.abort(new Error('the test is over'))
  open[0]?.()
  await clock.advance(1_000)
  await over
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
  const { clock, live, behind } = throttles()
  assert.equal(
    live.run(() => 7, never),
    7,
  )
  assert.throws(() => live.run(() => assert.fail('broken'), never), /broken/)
  const order: string[] = []
  const background = behind.run(() => order.push('background'), never)
  await clock.advance(1)
  order.push('timer')
  await background
  assert.deepEqual(order, ['background', 'timer'], 'it would wait for running live work')
})
