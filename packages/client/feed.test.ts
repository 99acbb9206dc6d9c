/** The feed from a fake server: offsets, the end of reading, and every failure that it resumes after. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { brokenOff, fakeServer, json, lost, problem, silent } from './fake-server.ts'
import { feedEvents } from './feed.ts'
import type { EventOptions } from './memory.ts'

const upToDate = { 'stream-up-to-date': 'true' }

/** A chunk with these ids. */
function chunk(ids: readonly string[], next: string, headers: { readonly [name: string]: string } = {}) {
  const events = ids.map((id) => ({ id, type: 'loomlog.fact.recorded' }))
  return json(events, 200, { 'stream-next-offset': next, ...headers })
}

/** `ID@OFFSET` of the events, and the paths of the requests. */
async function readFeed(t: TestContext, replies: Parameters<typeof fakeServer>[1], options: EventOptions = {}) {
  const { client, sent } = await fakeServer(t, replies)
  const events: string[] = []
  for await (const { id, offset } of feedEvents(client, '/v1/feed', { follow: false, ...options }))
    events.push(`${id}@${offset}`)
  return { events, paths: sent.map(({ path }) => path) }
}

/** Follows until as many events have come. */
async function follow(t: TestContext, replies: Parameters<typeof fakeServer>[1], count: number) {
  const { client, sent } = await fakeServer(t, replies)
  const ids: string[] = []
  for await (const { id } of feedEvents(client, '/v1/feed', { after: '3' })) {
    ids.push(id)
    if (ids.length === count) break
  }
  return { ids, paths: sent.map(({ path }) => path), waitMs: (sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0) }
}

test('the last event of a chunk continues after it, and the others before it', async (t) => {
  const { events, paths } = await readFeed(t, [
    chunk(['a', 'b'], '2'),
    chunk([], '5'),
    chunk(['c', 'd'], '7', upToDate),
  ])
  assert.deepEqual(events, ['a@-1', 'b@2', 'c@5', 'd@7'])
  assert.deepEqual(paths, ['/v1/feed?offset=-1', '/v1/feed?offset=2', '/v1/feed?offset=5'])
})

test('reads after an offset, and the given types', async (t) => {
  const { paths } = await readFeed(t, [chunk([], '9', upToDate)], {
    after: '4',
    types: ['loomlog.fact.recorded', 'loomlog.topic.sealed'],
  })
  assert.deepEqual(paths, ['/v1/feed?offset=4&type=loomlog.fact.recorded&type=loomlog.topic.sealed'])
  await assert.rejects(readFeed(t, [], { types: [] }), (error) => isLoomlogError(error, 'input-invalid'))
})

test('follows from now on: by a live read after the end, with the cursor of the reply', async (t) => {
  const { client, sent } = await fakeServer(t, [
    chunk([], '9', upToDate),
    (response) => response.writeHead(204, { 'stream-next-offset': '9', 'stream-cursor': '77', ...upToDate }).end(),
    chunk(['a'], '10'),
    chunk(['b'], '11'),
  ])
  const events: string[] = []
  for await (const { id, offset } of feedEvents(client, '/v1/feed', { after: 'now' })) {
    events.push(`${id}@${offset}`)
    if (events.length === 2) break
  }
  assert.deepEqual(events, ['a@10', 'b@11'])
  const paths = sent.map(({ path }) => path.replace('/v1/feed?', ''))
  assert.deepEqual(paths, ['offset=now', 'offset=9&live=long-poll', 'offset=9&live=long-poll&cursor=77', 'offset=10'])
})

test('resumes at the same offset after a lost reply, a broken connection, and a server that is busy or away', async (t) => {
  const busy = [
    problem(429, 'rate-limited', { 'retry-after': '0' }),
    problem(503, 'overloaded', { 'retry-after': '0' }),
  ]
  const away = json('<html>Bad Gateway</html>', 502, { 'retry-after': '0' })
  const failures = [lost, brokenOff, ...busy, away, ...busy, ...busy]
  const { ids, paths } = await follow(t, [lost, chunk(['a'], '4'), ...failures, chunk(['b'], '5')], 2)
  assert.deepEqual(ids, ['a', 'b'])
  const after = failures.map(() => '/v1/feed?offset=4')
  assert.deepEqual(paths, ['/v1/feed?offset=3', '/v1/feed?offset=3', ...after, '/v1/feed?offset=4'])
})

test('a server that never answered ends a followed feed after three retries', async (t) => {
  const away = problem(503, 'overloaded', { 'retry-after': '0' })
  await assert.rejects(follow(t, [away, away, away, away, chunk(['a'], '4')], 1), (error) =>
    isLoomlogError(error, 'overloaded'),
  )
})

test('waits as long as the server asks', async (t) => {
  const { waitMs } = await follow(t, [problem(503, 'overloaded', { 'retry-after': '1' }), chunk(['a'], '4')], 1)
  assert.ok(waitMs >= 990, `${waitMs}`)
})

for (const [status, code] of [
  [400, 'input-invalid'],
  [401, 'unauthenticated'],
  [403, 'not-allowed'],
  [500, 'log-corrupt'],
] as const) {
  test(`${status} ends a followed feed with its error`, async (t) => {
    await assert.rejects(follow(t, [problem(status, code)], 1), (error) => isLoomlogError(error, code))
  })
}

test('a feed that was replaced is log-replaced', async (t) => {
  const gone = json({ type: 'about:blank', status: 410, detail: 'begin again at offset -1' }, 410)
  await assert.rejects(follow(t, [gone], 1), (error) => isLoomlogError(error, 'log-replaced'))
})

test('without following, a server that stays away ends it', async (t) => {
  const away = problem(503, 'overloaded', { 'retry-after': '0' })
  await assert.rejects(readFeed(t, [away]), (error) => isLoomlogError(error, 'overloaded'))
})

test('a reply without an offset is none of a feed', async (t) => {
  await assert.rejects(readFeed(t, [json([])]), (error) => isLoomlogError(error, 'input-invalid'))
})

test('an abort ends it without an error: between events, during a read and during a wait', async (t) => {
  const busy = problem(503, 'overloaded', { 'retry-after': '60' })
  for (const replies of [[chunk(['a', 'b'], '2')], [chunk(['a'], '2'), silent], [chunk(['a'], '2'), busy]]) {
    const abort = new AbortController()
    const { client } = await fakeServer(t, replies)
    const ids: string[] = []
    for await (const { id } of feedEvents(client, '/v1/feed', { signal: abort.signal })) {
      ids.push(id)
      if (replies.length === 1) abort.abort()
      else setTimeout(() => abort.abort(), 50)
    }
    assert.deepEqual(ids, ['a'])
  }
  const aborted = AbortSignal.abort()
  assert.deepEqual((await readFeed(t, [silent], { signal: aborted })).paths, [])
})
