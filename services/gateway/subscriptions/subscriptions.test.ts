/** The feed over HTTP, on a real log: order, resuming, filters, isolation, and limits. */
import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { eventually } from '../../../test/eventually.ts'
import { seededRandom, testSeed } from '../../../test/seeded-random.ts'
import { until, withinSeconds } from '../../../test/within-seconds.ts'
import { temporaryGateway } from '../fixture.ts'
import type { FeedLimits } from './feed-limits.ts'

/** The events of `home9` are in the partition of `home`. */
const spaces = ['acme/home', 'acme/work', 'acme/home9', 'other/home']

function eventOf(key: string, n: number, padding = ''): PublishedEvent {
  const [tenant = '', space = ''] = key.split('/')
  const place = { id: `${key} ${n}`, tenant, space, generation: 'g', at: n }
  if (n % 3 === 0) return { type: 'ProgressMarked', ...place, partition: 0, upTo: n }
  const memory = { memory: `m${n}`, change: 'inserted', because: 'derived', trace: `t${padding}`, title: 'x' } as const
  return { type: 'LinkPublished', ...place, ...memory, event: 'e', previous: null, score: 1, position: n, keyId: null }
}

async function servedFeed(t: TestContext, feedLimits: Partial<FeedLimits> = {}) {
  const { app, log, codec } = await temporaryGateway(t, { feedLimits })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  let written = 0
  return {
    app,
    url,
    /** Appends one event a space, `count` times. */
    async write(count: number, padding = '') {
      for (const last = written + count; written < last; written++) {
        const record = (key: string) => ({ key, value: codec.encode(eventOf(key, written, padding)), timestamp: 0 })
        await log.append('memory-events', spaces.map(record))
      }
    },
    /** The offset after a feed's last event. */
    async end(path = '/v1/spaces/home/feed', tenant = 'acme') {
      const { headers } = await fetch(`${url}${path}`, { method: 'HEAD', headers: { 'x-loomlog-tenant': tenant } })
      return headers.get('stream-next-offset') ?? ''
    },
    idsOf: (key: string) => Array.from({ length: written }, (_, n) => `${key} ${n}`),
    get(path: string, tenant = 'acme', signal?: AbortSignal) {
      return fetch(`${url}${path}`, { headers: { 'x-loomlog-tenant': tenant }, ...(signal ? { signal } : {}) })
    },
  }
}

type FeedServer = Awaited<ReturnType<typeof servedFeed>>
type Message = { readonly id: string; readonly type: string; readonly space: string }

async function messagesIn(response: Response): Promise<readonly Message[]> {
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as readonly Message[]
}

/** Reads until it is up to date. */
async function readAll(served: FeedServer, path: string, tenant: string, from = '-1'): Promise<readonly Message[]> {
  const all: Message[] = []
  const query = path.includes('?') ? '&' : '?'
  for (let offset = from; ; ) {
    const response = await served.get(`${path}${query}offset=${offset}`, tenant)
    all.push(...(await messagesIn(response)))
    const next = response.headers.get('stream-next-offset') ?? ''
    assert.ok(offset === '-1' || next >= offset, 'offsets sort as text')
    offset = next
    if (response.headers.get('stream-up-to-date') === 'true') return all
  }
}

const ids = (messages: readonly Message[]) => messages.map(({ id }) => id)

test('a space is read in chunks, in order, each event once, without events of other spaces and tenants', async (t) => {
  for (const limits of [{}, { chunkRecords: 4, heldRecords: 6 }, { chunkBytes: 1 }]) {
    const served = await servedFeed(t, limits)
    await served.write(10)
    for (const key of spaces) {
      const [tenant = '', space] = key.split('/')
      assert.deepEqual(ids(await readAll(served, `/v1/spaces/${space}/feed`, tenant)), served.idsOf(key))
    }
    await served.write(10)
    for (const key of spaces) {
      const [tenant = '', space] = key.split('/')
      assert.deepEqual(ids(await readAll(served, `/v1/spaces/${space}/feed`, tenant)), served.idsOf(key))
    }
    assert.deepEqual(await readAll(served, '/v1/spaces/none/feed', 'acme'), [])
  }
})

test('a tenant is read from all partitions: every space in its order, each event once', async (t) => {
  const served = await servedFeed(t, { chunkRecords: 5, heldRecords: 8 })
  await served.write(12)
  for (const tenant of ['acme', 'other', 'acm', 'none']) {
    const found = await readAll(served, '/v1/feed', tenant)
    for (const key of spaces) {
      const [owner, space] = key.split('/')
      const ofSpace = ids(found.filter((message) => message.space === space))
      if (owner === tenant) assert.deepEqual(ofSpace, served.idsOf(key))
    }
    assert.equal(found.length, spaces.filter((key) => key.startsWith(`${tenant}/`)).length * 12)
  }
})

test('a live reader gets no event of a tenant, or a space, whose name begins with the name of its own', async (t) => {
  // Events of live readers are held, and are not found by the index over older ones.
  const served = await servedFeed(t)
  const readers = [
    ['acm', '/v1/feed', []],
    ['acme', '/v1/feed', ['acme/home', 'acme/home9', 'acme/work']],
    ['acme', '/v1/spaces/hom/feed', []],
    ['acme', '/v1/spaces/home/feed', ['acme/home']],
  ] as const
  const from = await Promise.all(readers.map(([tenant, path]) => served.end(path, tenant)))
  await served.write(1)
  for (const [at, [tenant, path, wanted]] of readers.entries()) {
    const found = ids(await readAll(served, path, tenant, from[at]))
    const events = wanted.map((key) => `${key} 0`)
    assert.deepEqual([...found].sort(), events, `${path} of ${tenant}`)
  }
})

test('types are filtered, and a wrong one is refused with the known ones', async (t) => {
  const served = await servedFeed(t, { chunkRecords: 3 })
  await served.write(9)
  const marks = await readAll(served, '/v1/spaces/home/feed?type=loomlog.progress.marked', 'acme')
  assert.deepEqual(ids(marks), ['acme/home 0', 'acme/home 3', 'acme/home 6'])
  const both = '/v1/spaces/home/feed?type=loomlog.progress.marked&type=loomlog.events.linked'
  assert.equal((await readAll(served, both, 'acme')).length, 9)
  const wrong = await served.get('/v1/feed?type=fact')
  assert.equal(wrong.status, 400)
  assert.match(await wrong.text(), /loomlog\.fact\.recorded/)
})

test('a malformed offset, and one of another stream, is 400; one beyond the end is 410', async (t) => {
  const served = await servedFeed(t)
  await served.write(2)
  for (const offset of ['x', '12', '0000000000000001_1-0', '1,2', '%20', '', '0000000000000001%00'])
    assert.equal((await served.get(`/v1/spaces/home/feed?offset=${offset}`)).status, 400, offset)
  assert.equal((await served.get('/v1/feed?offset=0000000000000001')).status, 400)
  assert.equal((await served.get('/v1/spaces/home/feed?offset=0000000000000900')).status, 410)
  assert.equal((await served.get('/v1/spaces/home/feed?live=sse')).status, 400)
  assert.equal((await served.get('/v1/spaces/home/feed?offset=-1&live=always')).status, 400)
  assert.equal((await served.get('/v1/spaces/a%2Fb/feed?offset=-1')).status, 400)
})

test('a long-poll waits for the next event of its space, and is 204 where none comes', async (t) => {
  const impatient = await servedFeed(t, { longPollMs: 300 })
  await impatient.write(1)
  const quiet = impatient.get(`/v1/spaces/home/feed?offset=${await impatient.end()}&live=long-poll`)
  const none = await withinSeconds(quiet, 'the end of a long-poll whose time is 300 ms')
  assert.deepEqual([none.status, none.headers.get('stream-up-to-date')], [204, 'true'])
  const served = await servedFeed(t)
  await served.write(1)
  const waiting = served.get(`/v1/spaces/home/feed?offset=${await served.end()}&live=long-poll`)
  await sleep(100)
  await served.write(1)
  const answer = await withinSeconds(waiting, 'a long-poll is answered by an event')
  assert.deepEqual(ids(await messagesIn(answer)), ['acme/home 1'])
})

interface Subscriber {
  readonly found: string[]
  offset: string
}

/** Reads SSE until the connection ends or is cut; keeps the events of complete frames with their offset. */
async function follow(served: FeedServer, path: string, subscriber: Subscriber, cutAfterMs: number): Promise<void> {
  const signal = AbortSignal.timeout(cutAfterMs)
  try {
    // Not fetch, which opens a connection ahead after each one that is cut: a closing server would wait for it.
    const options = { agent: false, headers: { 'x-loomlog-tenant': 'acme' }, signal }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${served.url}${path}?offset=${subscriber.offset}&live=sse`, options, resolve).on('error', reject)
    })
    assert.equal(response.statusCode, 200)
    let text = ''
    let data: readonly Message[] = []
    for await (const part of response) {
      text += Buffer.from(part).toString()
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const [, line = ''] = frame.split('\ndata:')
        if (frame.startsWith('event: data')) data = JSON.parse(line) as readonly Message[]
        if (!frame.startsWith('event: control')) continue
        subscriber.found.push(...ids(data))
        data = []
        subscriber.offset = (JSON.parse(line) as { streamNextOffset: string }).streamNextOffset
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

test('subscribers that are cut off at 50 random moments and resume have every event once, in order', async (t) => {
  const served = await servedFeed(t, { chunkRecords: 7, heldRecords: 12, sseMs: 150, heartbeatMs: 20 })
  const seed = testSeed()
  t.diagnostic(`LOOMLOG_SEED=${seed}`)
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const ofSpace: Subscriber = { found: [], offset: '-1' }
  const ofTenant: Subscriber = { found: [], offset: '-1' }
  for (let cut = 0; cut < 50; cut++) {
    const writing = served.write(below(4))
    const [one, all] = [5 + below(60), 5 + below(60)]
    await Promise.all([
      follow(served, '/v1/spaces/home/feed', ofSpace, one),
      follow(served, '/v1/feed', ofTenant, all),
      writing,
    ])
  }
  for (let n = 0; n < 5; n++) await follow(served, '/v1/spaces/home/feed', ofSpace, 400)
  for (let n = 0; n < 5; n++) await follow(served, '/v1/feed', ofTenant, 400)
  assert.ok(ofSpace.found.length > 20)
  assert.deepEqual(ofSpace.found, served.idsOf('acme/home'))
  for (const key of spaces.slice(0, 3)) {
    const inSpace = ofTenant.found.filter((id) => id.startsWith(`${key} `))
    assert.deepEqual(inSpace, served.idsOf(key))
  }
})

test('a quiet SSE connection has heartbeats', async (t) => {
  const served = await servedFeed(t, { heartbeatMs: 20 })
  const { body } = await served.get('/v1/spaces/home/feed?offset=now&live=sse')
  assert.ok(body)
  const heartbeats = async () => {
    let text = ''
    for await (const part of body) {
      text += Buffer.from(part).toString()
      if (text.split(': heartbeat').length > 3) return
    }
    assert.fail(`the connection ended after ${JSON.stringify(text)}`)
  }
  await withinSeconds(heartbeats(), 'three heartbeats, one every 20 ms')
})

test('a quiet SSE connection ends after its time', async (t) => {
  const served = await servedFeed(t, { sseMs: 300 })
  const response = await served.get('/v1/spaces/home/feed?offset=now&live=sse')
  const text = await withinSeconds(response.text(), 'the end of a connection whose time is 300 ms')
  assert.match(text, /^event: control\ndata:{"streamNextOffset":"0{16}","streamCursor":"\d+","upToDate":true}/)
})

test('live readers beyond the limit are refused, and one that leaves frees its slot', async (t) => {
  const served = await servedFeed(t, { liveReaders: 2, longPollMs: 600_000 })
  const leave = new AbortController()
  const path = '/v1/spaces/home/feed?offset=-1&live=long-poll'
  let arrived = 0
  served.app.server.on('request', () => (arrived += 1))
  const readers = [served.get(path, 'acme', leave.signal), served.get(path, 'acme', leave.signal)]
  for (const reader of readers) reader.catch(() => {})
  await until(() => arrived === 2, 'two long-polls arrive')
  const refused = await withinSeconds(served.get(path), 'a third live reader is answered')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  leave.abort()
  const isAdmitted = async () => (await served.get('/v1/spaces/home/feed?offset=-1&live=sse')).status === 200
  await until(isAdmitted, 'a reader that left frees its slot')
})

test('a reader that reads nothing is disconnected', async (t) => {
  const served = await servedFeed(t, { slowReaderMs: 300, chunkBytes: 100_000, heldRecords: 10 })
  await served.write(100, 'x'.repeat(100_000))
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write('GET /v1/spaces/home/feed?offset=-1&live=sse HTTP/1.1\r\n')
  socket.write('host: localhost\r\nx-loomlog-tenant: acme\r\n\r\n')
  socket.pause()
  const connections = () =>
    new Promise<number>((resolve) => served.app.server.getConnections((_, count) => resolve(count)))
  await eventually(async () => assert.equal(await connections(), 1))
  await eventually(async () => assert.equal(await connections(), 0, 'well before its 60 s are over'), 30_000)
})

test('when the server closes, live readers end at once', async (t) => {
  const served = await servedFeed(t, { sseMs: 60_000 })
  const response = await served.get('/v1/spaces/home/feed?offset=now&live=sse')
  const ended = response.text()
  await served.app.close()
  // A connection that is cut after the grace time is an error here.
  assert.match(await ended, /event: control/)
})

test('when the server closes, connections without a request end at once, and a reply that is not taken within seconds', async (t) => {
  const served = await servedFeed(t, { chunkBytes: 4_000_000, heldRecords: 10 })
  await served.write(100, 'x'.repeat(100_000))
  const port = Number(new URL(served.url).port)
  const [silent, stuck] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const socket of [silent, stuck]) socket.on('error', () => {})
  stuck.write('GET /v1/spaces/home/feed HTTP/1.1\r\nhost: localhost\r\nx-loomlog-tenant: acme\r\n\r\n')
  stuck.pause()
  await fetch(`${served.url}/healthz`)
  await sleep(500)
  const startedAt = performance.now()
  await served.app.close()
  assert.ok(performance.now() - startedAt < 20_000, 'not after the minute that Node waits')
})
