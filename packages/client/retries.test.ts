/** Which requests are sent again and when, the timeout of a call, and aborts while it waits. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { until } from '../../test/within-seconds.ts'
import { brokenOff, fakeServer, json, lost, problem, silent } from './fake-server.ts'
import { LoomlogClient } from './loomlog-client.ts'

const busy = (retryAfter: string) => problem(503, 'overloaded', { 'retry-after': retryAfter })
const ok = json({ a: 1 })

/** Ms until the second request. */
async function firstWaitMs(t: TestContext, retryAfter: string): Promise<number> {
  const { client, sent } = await fakeServer(t, [busy(retryAfter), ok])
  await client.get('/x')
  return (sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0)
}

/** The error of a call, and how long it took. */
async function failure(call: Promise<unknown>): Promise<{ readonly error: unknown; readonly ms: number }> {
  const from = performance.now()
  const error = await call.then(
    () => assert.fail('there was a reply'),
    (error: unknown) => error,
  )
  return { error, ms: performance.now() - from }
}

test('a GET is sent again after 429, 502, 503, 504, a lost reply and a body that breaks off', async (t) => {
  const limited = problem(429, 'rate-limited', { 'retry-after': '0' })
  const proxy = (status: number) => json('<html>no server</html>', status, { 'retry-after': '0' })
  for (const failures of [
    [busy('0'), limited, proxy(502)],
    [proxy(504), lost, brokenOff],
  ]) {
    const { client, sent } = await fakeServer(t, [...failures, ok])
    assert.deepEqual(await client.get('/x'), { a: 1 })
    assert.equal(sent.length, 4)
  }
})

test('after three retries the error of the last one is thrown', async (t) => {
  const { client, sent } = await fakeServer(t, [busy('0'), busy('0'), busy('0'), problem(429, 'rate-limited')])
  assert.ok(isLoomlogError((await failure(client.get('/x'))).error, 'rate-limited'))
  assert.equal(sent.length, 4)
})

test('where nothing answers, the error names the origin and the cause, and no option of a command', async () => {
  const client = new LoomlogClient({ url: 'http://127.0.0.1:9', timeoutMs: 150 })
  const { error } = await failure(client.get('/x'))
  assert.ok(isLoomlogError(error, 'server-unavailable'))
  assert.equal(error.message.replace(/\(.+\)/, '(…)'), 'no loomlog server answers at http://127.0.0.1:9 (…)')
})

test('a POST is sent again only where its caller says that it may be, with the same body', async (t) => {
  const once = await fakeServer(t, [lost])
  assert.ok(isLoomlogError((await failure(once.client.post('/x', { b: 1 }))).error, 'server-unavailable'))
  assert.equal(once.sent.length, 1)
  const again = await fakeServer(t, [lost, ok])
  assert.deepEqual(await again.client.post('/x', { b: 1 }, {}, { repeatable: true }), { a: 1 })
  assert.deepEqual(
    again.sent.map(({ body }) => body),
    ['{"b":1}', '{"b":1}'],
  )
})

test('other problems are thrown at once', async (t) => {
  for (const [status, code] of [
    [400, 'input-invalid'],
    [404, 'not-found'],
    [500, 'view-corrupt'],
  ] as const) {
    const { client, sent } = await fakeServer(t, [problem(status, code)])
    assert.ok(isLoomlogError((await failure(client.get('/x'))).error, code))
    assert.equal(sent.length, 1)
  }
})

test('Retry-After is the wait, as seconds or as a date', async (t) => {
  assert.ok((await firstWaitMs(t, '1')) >= 990)
  // A date has whole seconds.
  const wait = await firstWaitMs(t, new Date(Date.now() + 2_000).toUTCString())
  assert.ok(wait >= 900 && wait < 3_000, `${wait}`)
  assert.ok((await firstWaitMs(t, 'soon')) < 900)
})

test('a wait that the timeout has no room for is not begun: the error of the server is thrown at once', async (t) => {
  const { client, sent } = await fakeServer(t, [busy('60')], { timeoutMs: 5_000 })
  const { error, ms } = await failure(client.get('/x'))
  assert.ok(isLoomlogError(error, 'overloaded') && ms < 2_000)
  assert.equal(sent.length, 1)
})

test('the timeout ends a call whose reply is late, and all of its tries', async (t) => {
  const late = await fakeServer(t, [silent], { timeoutMs: 100 })
  const { error, ms } = await failure(late.client.get('/x'))
  assert.ok(isLoomlogError(error, 'server-unavailable') && /no reply within 1 s/.test(error.message))
  assert.ok(ms < 2_000)
  const slow = await fakeServer(t, [busy('0'), silent], { timeoutMs: 300 })
  assert.ok((await failure(slow.client.get('/x'))).ms < 2_000)
  assert.equal(slow.sent.length, 2)
  for (const timeoutMs of [0, -1, Number.NaN])
    assert.throws(
      () => new LoomlogClient({ url: late.url, timeoutMs }),
      (error) => isLoomlogError(error, 'input-invalid') && /timeoutMs/.test(error.message),
    )
})

test('an abort rejects at once with its reason: before a request, during one, and between two', async (t) => {
  const reason = new Error('stop')
  const before = await fakeServer(t, [ok])
  assert.equal((await failure(before.client.get('/x', {}, { signal: AbortSignal.abort(reason) }))).error, reason)
  assert.equal(before.sent.length, 0)
  for (const reply of [silent, busy('60')]) {
    const { client, sent } = await fakeServer(t, [reply])
    const abort = new AbortController()
    const call = failure(client.post('/x', {}, {}, { repeatable: true, signal: abort.signal }))
    await until(() => sent.length === 1, 'the request')
    setTimeout(() => abort.abort(reason), 50)
    const { error, ms } = await call
    assert.equal(error, reason)
    assert.ok(ms < 1_000)
    assert.equal(sent.length, 1)
  }
})

test('a call leaves no listener on its signal', async (t) => {
  const { client } = await fakeServer(t, [busy('0'), ok])
  const { signal } = new AbortController()
  await client.get('/x', {}, { signal })
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('an abort and the timeout also end a fetch that ignores its signal', async () => {
  const fetch = () => new Promise<Response>(() => {})
  const reason = new Error('stop')
  const client = new LoomlogClient({ url: 'http://loomlog', fetch, timeoutMs: 100 })
  const abort = new AbortController()
  setTimeout(() => abort.abort(reason), 20)
  assert.equal((await failure(client.get('/x', {}, { signal: abort.signal }))).error, reason)
  assert.ok(isLoomlogError((await failure(client.get('/x'))).error, 'server-unavailable'))
})

test('the fetch of the options is called as a function, as those of browsers must be', async () => {
  function fetch(this: unknown) {
    assert.equal(this, undefined)
    return Promise.resolve(Response.json({ a: 1 }))
  }
  assert.deepEqual(await new LoomlogClient({ url: 'http://loomlog', fetch }).get('/x'), { a: 1 })
})

test('endless retries outlast the timeout of a call, and each try has a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let calls = 0
  const reply = Response.json([], { headers: { 'stream-next-offset': '1' } })
  const fetch = () => (calls++ === 0 ? new Promise<Response>(() => {}) : Promise.resolve(reply))
  const client = new LoomlogClient({ url: 'http://loomlog', fetch, timeoutMs: 1 })
  const chunk = client.feed('/x', {}, { retries: 'endless' })
  t.mock.timers.tick(59_999)
  await new Promise(setImmediate)
  assert.equal(calls, 1)
  t.mock.timers.tick(1)
  await new Promise(setImmediate)
  t.mock.timers.tick(200)
  assert.equal((await chunk).next, '1')
})
