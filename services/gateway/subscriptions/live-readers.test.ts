/** Subscribers: what each has taken, over its connections. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/within-seconds.ts'
import { temporaryGateway } from '../fixture.ts'
import { LiveReaders, type NewReader } from './live-readers.ts'
import { jsonMessages, type StreamSource } from './stream-source.ts'

const { signal } = new AbortController()

const sourceOf = (...messages: string[]): StreamSource => ({
  ...jsonMessages,
  name: 'source',
  tail: async () => '9',
  read: async () => ({ messages, next: '9', isUpToDate: true }),
  changed: async () => {},
})
const ines: NewReader = { name: 'Ines', tenant: 'acme', space: null, topic: 'memory-events', types: null, live: 'sse' }

test('a subscriber counts the messages that its connections have taken, and is up to date while all of them wait', async () => {
  const readers = new LiveReaders(10)
  const first = readers.admit(ines, sourceOf('1', '2'))
  await first.source.read(null, signal)
  const counted = () => readers.of('acme').map((each) => [each.connections, each.messages, each.isUpToDate])
  assert.deepEqual(counted(), [[1, 0, false]], 'the connection may not have taken the chunk')
  await first.source.changed('9', 1, signal)
  assert.deepEqual(counted(), [[1, 2, true]])
  const second = readers.admit(ines, sourceOf('3'))
  await second.source.read(null, signal)
  assert.deepEqual(counted(), [[2, 2, false]])
  second.leave()
  assert.deepEqual(counted(), [[1, 2, true]], 'a stream that is cut off may not have sent its last chunk')
  await first.source.read('9', signal)
  assert.deepEqual(counted(), [[1, 2, false]], 'it has further messages to take')
  await first.source.changed('9', 1, signal)
  first.leave()
  assert.deepEqual(counted(), [[0, 4, true]])
  const poll = readers.admit({ ...ines, live: 'long-poll' }, sourceOf('3'))
  await poll.source.read(null, signal)
  poll.leave()
  assert.deepEqual(counted()[1], [0, 1, false])
})

test('a subscriber that is away is kept for 90 s, and a refused request is none', async () => {
  let now = 1_000
  const readers = new LiveReaders(10, () => now)
  readers.admit({ ...ines, space: 'refused' }, sourceOf()).leave()
  const { source, leave } = readers.admit(ines, sourceOf())
  await source.read(null, signal)
  leave()
  now += 90_000
  assert.deepEqual(
    readers.of('acme').map(({ since, connections }) => [since, connections]),
    [[1_000, 0]],
  )
  now += 1
  assert.deepEqual(readers.of('acme'), [])
})

test('connections above the limit are refused, and no more subscribers are kept', async () => {
  const readers = new LiveReaders(2)
  for (let n = 0; n < 9; n++) {
    const { source, leave } = readers.admit({ ...ines, space: `${n}` }, sourceOf())
    await source.read(null, signal)
    leave()
  }
  assert.deepEqual(
    readers.of('acme').map(({ space }) => space),
    ['7', '8'],
  )
  const [one] = [readers.admit(ines, sourceOf()), readers.admit(ines, sourceOf())]
  assert.throws(() => readers.admit(ines, sourceOf()), /2 live readers/)
  one.leave()
  readers.admit(ines, sourceOf())
})

test('the API lists the subscribers of a tenant', async (t) => {
  const { app } = await temporaryGateway(t, { feedLimits: { liveReaders: 2 } })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const say = async (text: string) => {
    const payload = { conversation: 'c', speaker: 'Ada', text, at: '2026-03-02T09:00:00Z' }
    await app.inject({ method: 'POST', url: '/v1/spaces/home/utterances', payload })
  }
  const listed = async (tenant = 'default') =>
    (await app.inject({ url: '/v1/subscribers', headers: { 'x-loomlog-tenant': tenant } })).json().subscribers
  for (const query of ['offset=no offset&live=sse', 'offset=-1&live=never', 'live=sse'])
    assert.equal((await fetch(`${url}/v1/feed?${query}`)).status, 400, query)
  assert.deepEqual(await listed(), [])
  await say('The zebra sleeps.')
  const leaves = new AbortController()
  t.after(() => leaves.abort())
  await fetch(`${url}/v1/spaces/home/utterances?offset=-1&live=sse`, { signal: leaves.signal })
  const type = 'loomlog.fact.recorded'
  const headers = { 'x-loomlog-tenant': 'other' }
  fetch(`${url}/v1/feed?offset=now&live=long-poll&type=${type}`, { headers, signal: leaves.signal }).catch(() => {})
  await say('It wakes.')
  await until(async () => (await listed())[0]?.messages === 2, 'both utterances are taken')
  const [{ id, since, ...shown }, ...others] = await listed()
  assert.deepEqual(others, [], 'without the subscriber of the other tenant')
  assert.deepEqual([typeof id, Date.now() - since < 60_000], ['string', true])
  assert.deepEqual(shown, {
    name: 'local',
    tenant: 'default',
    space: 'home',
    topic: 'utterances',
    types: null,
    live: 'sse',
    connections: 1,
    messages: 2,
    isUpToDate: true,
  })
  await until(async () => (await listed('other')).length === 1, 'the other tenant has one')
  const [{ types, space, live }] = await listed('other')
  assert.deepEqual([types, space, live], [[type], null, 'long-poll'])
  leaves.abort()
  await until(async () => (await listed())[0].connections === 0, 'it has left')
})
