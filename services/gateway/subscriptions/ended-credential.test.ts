/**
 * Live readers of the feed whose key or token ends, over HTTP on a real log. Each would wait for ten minutes otherwise:
 * no event, heartbeat or time limit ends it.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AuditRecorder } from '@loomlog/access/audit-recorder'
import { CallerLimits, defaultCallerLimits } from '@loomlog/access/caller-limits'
import { startFakeIssuer } from '@loomlog/access/fake-issuer'
import { createKey, followKeys, revokeKey, rotateKey } from '@loomlog/access/key-store'
import { ServerAccess } from '@loomlog/access/server-access'
import { eventually } from '../../../test/eventually.ts'
import { temporaryGateway } from '../fixture.ts'

const neverMs = 600_000
/** A second on a machine with nothing else to do; more leaves room for others at work. */
const soonMs = 10_000
const waits = { sseMs: neverMs, longPollMs: neverMs, heartbeatMs: neverMs }
const feeds = ['/v1/feed', '/v1/spaces/home/feed']

async function guardedFeed(t: TestContext) {
  const { log, codec } = await temporaryGateway(t)
  const place = { log, codec }
  const issuer = await startFakeIssuer(t)
  const onError = (error: unknown) => t.diagnostic(String(error))
  const keys = await followKeys({ ...place, onTemporaryFailure: onError, onError })
  t.after(() => keys.close())
  const audit = new AuditRecorder({ ...place, onDropped: onError })
  const limits = new CallerLimits(defaultCallerLimits)
  const serve = async (tokens: typeof issuer.tokens | null) => {
    const access = new ServerAccess({ keys, tokens, limits, audit, uses: { note: () => {} } })
    let watched = 0
    const { watch } = access
    // The gateway watches a credential for each live reader.
    Object.assign(access, {
      watch: (...given: Parameters<typeof watch>) => {
        watched += 1
        return watch(...given)
      },
    })
    const { app } = await temporaryGateway(t, { access, feedLimits: waits })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return { url, watched: () => watched }
  }
  async function makeKey(expiresAt: number | null = null) {
    const key = await createKey({ tenant: 'acme', scopes: ['subscribe'], spaces: null, label: '', expiresAt }, place)
    while (!keys.current.has(key.id)) await sleep(5)
    return key
  }
  return { place, issuer, serve, makeKey }
}

interface LiveReader {
  readonly name: string
  /** The reply, and when it was complete. */
  readonly ended: Promise<{ readonly status: number; readonly text: string; readonly atMs: number }>
}

/** Opens every kind of live reader. Returns once the server has each of them. */
async function openReaders(
  t: TestContext,
  { url, watched }: { readonly url: string; watched(): number },
  key: string | null,
): Promise<readonly LiveReader[]> {
  const before = watched()
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  const readers = feeds.flatMap((feed) =>
    ['sse', 'long-poll'].map((live) => {
      const leave = new AbortController()
      t.after(() => leave.abort())
      const reply = fetch(`${url}${feed}?offset=now&live=${live}`, { headers, signal: leave.signal })
      const ended = reply.then(async (response) => {
        const { status } = response
        const text = await response.text()
        return { status, text, atMs: performance.now() }
      })
      ended.catch(() => {})
      return { name: `${feed} ${live}`, live, reply, ended }
    }),
  )
  await Promise.all(readers.filter(({ live }) => live === 'sse').map(({ reply }) => reply))
  await eventually(() => assert.equal(watched() - before, readers.length))
  return readers
}

const stillOpen = Symbol('still open')

/** Asserts that every reader has ended soon after the time, and names the reason. */
async function assertEnded(t: TestContext, readers: readonly LiveReader[], sinceMs: number, reason: RegExp) {
  for (const { name, ended } of readers) {
    const leftMs = sinceMs + soonMs - performance.now()
    const reply = await Promise.race([ended, sleep(leftMs, stillOpen, { ref: false })])
    assert.ok(reply !== stillOpen, `${name} is open ${soonMs} ms after its credential has ended`)
    const { status, text, atMs } = reply
    t.diagnostic(`${name}: ${Math.round(atMs - sinceMs)} ms`)
    assert.ok(atMs - sinceMs < soonMs, name)
    assert.match(text, reason, name)
    if (name.endsWith('sse')) assert.match(text, /\n\n: [^\n]+\n\n$/, 'a comment ends the stream')
    else assert.deepEqual([status, JSON.parse(text).type], [401, 'urn:loomlog:problem:unauthenticated'], name)
  }
}

test('live readers end when their key is revoked, and those of another key stay', async (t) => {
  const { place, serve, makeKey } = await guardedFeed(t)
  const [revoked, valid] = [await makeKey(), await makeKey()]
  const server = await serve(null)
  const readers = await openReaders(t, server, revoked.text)
  const others = await openReaders(t, server, valid.text)
  const sinceMs = performance.now()
  await revokeKey(revoked.id, place)
  await assertEnded(t, readers, sinceMs, /the key is revoked/)
  const stays = sleep(300, stillOpen)
  for (const { name, ended } of others) assert.equal(await Promise.race([ended, stays]), stillOpen, name)
})

test('live readers end when their key expires, and when a rotation brings its end forward', async (t) => {
  const { place, serve, makeKey } = await guardedFeed(t)
  const expiresAt = Date.now() + 8_000
  const [expiring, rotated, valid] = [await makeKey(expiresAt), await makeKey(expiresAt + neverMs), await makeKey()]
  const server = await serve(null)
  const readers = await openReaders(t, server, expiring.text)
  const rotatedReaders = await openReaders(t, server, rotated.text)
  const others = await openReaders(t, server, valid.text)
  const leftMs = expiresAt - Date.now()
  assert.ok(leftMs > 0, 'the readers are there before the key expires')
  const expiresAtMs = performance.now() + leftMs
  await rotateKey(rotated.id, { overlapMs: 1_000 }, place)
  await assertEnded(t, rotatedReaders, performance.now() + 1_000, /the key has expired/)
  await assertEnded(t, readers, expiresAtMs, /the key has expired/)
  for (const { name, ended } of readers) assert.ok((await ended).atMs > expiresAtMs - 50, `${name} ends no earlier`)
  const stays = sleep(300, stillOpen)
  for (const { name, ended } of others) assert.equal(await Promise.race([ended, stays]), stillOpen, name)
})

test('live readers end when their token expires', async (t) => {
  const { issuer, serve } = await guardedFeed(t)
  const server = await serve(issuer.tokens)
  // Tokens expire at full seconds. The readers need some of these seconds on a busy machine.
  const expiresAtS = Math.ceil(Date.now() / 1_000) + 10
  const claims = { sub: 'ada', tenant: 'acme', scope: 'loomlog:subscribe' }
  const readers = await openReaders(t, server, await issuer.token(claims, { exp: expiresAtS }))
  const leftMs = expiresAtS * 1_000 - Date.now()
  assert.ok(leftMs > 0, 'the readers are there before the token expires')
  const expiresAtMs = performance.now() + leftMs
  await assertEnded(t, readers, expiresAtMs, /the token has expired/)
  for (const { name, ended } of readers) assert.ok((await ended).atMs > expiresAtMs - 50, `${name} ends no earlier`)
})

test('live readers without a key end when the first key is made', async (t) => {
  const { serve, makeKey } = await guardedFeed(t)
  const readers = await openReaders(t, await serve(null), null)
  const sinceMs = performance.now()
  await makeKey()
  await assertEnded(t, readers, sinceMs, /a key is needed from now on/)
})
