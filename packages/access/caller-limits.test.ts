import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallerLimits, RateLimited } from './caller-limits.ts'

const settings = { requestsPerS: 10, bytesPerS: 1_000, concurrency: 3, liveReaders: 2 }

function limited() {
  const clock = { ms: 5_000 }
  const limits = new CallerLimits(settings, () => clock.ms)
  /** Returns the seconds to wait; 0 if the request is admitted. */
  const send = (name = 'key:a', bytes = 0, tenant = 'acme') => {
    try {
      limits.admit({ tenant, name }, { bytes, kind: 'request' })()
      return 0
    } catch (error) {
      assert.ok(error instanceof RateLimited)
      return error.retryAfterS
    }
  }
  return { clock, limits, send }
}

test('a burst of two seconds is admitted, then the rate; the next request is admitted after the stated wait', () => {
  const { clock, send } = limited()
  const admitted = Array.from({ length: 50 }, () => send()).filter((waitS) => waitS === 0)
  assert.equal(admitted.length, 21)
  assert.equal(send(), 1)
  assert.equal(send('key:b'), 0, 'another caller has limits of its own')
  assert.equal(send('key:a', 0, 'other'), 0, 'and so has another tenant')
  let more = 0
  for (const endMs = clock.ms + 10_000; clock.ms < endMs; clock.ms += 10) if (send() === 0) more += 1
  assert.ok(more >= 98 && more <= 101, `${more} in 10 s`)
  while (send() === 0) {}
  const waitS = send()
  clock.ms += waitS * 1_000
  assert.equal(send(), 0)
})

test('bytes of bodies are limited beside requests, and a refused request costs nothing', () => {
  const { clock, send } = limited()
  assert.equal(send('key:a', 5_000), 0, 'a body larger than the burst is taken when nothing is owed')
  assert.equal(send('key:a', 1), 3)
  for (let n = 0; n < 100; n++) send('key:a', 1_000_000)
  clock.ms += 3_000
  assert.equal(send('key:a', 1), 0)
})

test('a body that is longer than announced is charged while it arrives, and paced to the rate', () => {
  const { clock, limits, send } = limited()
  const caller = { tenant: 'acme', name: 'key:a' }
  assert.equal(limits.charge(caller, 2_000), 0, 'a burst of two seconds')
  assert.equal(limits.charge(caller, 1_000), 1_000)
  assert.equal(send('key:a', 1), 1, 'other requests of the caller wait as well')
  clock.ms += 1_000
  assert.equal(limits.charge(caller, 0), 0)
})

test('requests and live readers in flight have separate limits, and an ended one frees its slot', () => {
  const { limits } = limited()
  const admit = (kind: 'request' | 'live-reader') => limits.admit({ tenant: null, name: 'key:a' }, { bytes: 0, kind })
  const [release] = [admit('request'), admit('request'), admit('request')]
  assert.throws(() => admit('request'), /key:a has 3 requests: try again after 1 s/)
  admit('live-reader')
  admit('live-reader')
  assert.throws(() => admit('live-reader'), /2 live readers/)
  release()
  release()
  admit('request')
  assert.throws(() => admit('request'), RateLimited, 'a slot is released once')
})

test('callers whose tenants and subjects are equal when joined have limits of their own', () => {
  const { send } = limited()
  const pairs = [
    ['acme', 'token:x token:y'],
    ['acme token:x', 'token:y'],
    ['acme,token:x', 'token:y'],
    ['acme"', 'token:y'],
  ] as const
  for (const [tenant, name] of pairs) {
    assert.equal(send(name, 0, tenant), 0, tenant)
    while (send(name, 0, tenant) === 0) {}
  }
})
