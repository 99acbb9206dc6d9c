import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Caller, localCaller, openAccess } from '@loomlog/access/caller'
import { CallerLimits, defaultCallerLimits } from '@loomlog/access/caller-limits'
import { memoryStore } from '@loomlog/views/in-memory'
import { ViewReader } from '@loomlog/views/reader'
import { until } from '../../../test/within-seconds.ts'
import { embedder, temporaryGateway } from '../fixture.ts'
import { maxBodyBytes } from '../limits.ts'

type App = Awaited<ReturnType<typeof temporaryGateway>>['app']

const at = '2026-03-02T09:00:00Z'
const url = '/v1/spaces/home/utterances'

async function append(app: App, payload: unknown, query = '') {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const type = typeof payload === 'string' ? 'application/x-ndjson' : 'application/json'
  const reply = await app.inject({ method: 'POST', url: url + query, headers: { 'content-type': type }, payload: body })
  return { status: reply.statusCode, body: reply.json() }
}

async function utterance(app: App, id: string) {
  return (await app.inject(`/v1/spaces/home/memories/${id}`)).json().memory
}

test('chat messages are appended with their roles, names, parts and calls', async (t) => {
  const { app } = await temporaryGateway(t)
  const before = Date.now()
  const { status, body } = await append(
    app,
    [
      { role: 'user', content: 'Hello', name: 'Maya', at: 1_772_441_940, id: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
        at: 1_772_441_950_123,
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://e.org/x.png' } },
        ],
        id: 'c',
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', function: { name: 'sum', arguments: '{"a":1}' } }],
        at,
      },
      { role: 'tool', content: '1', tool_call_id: '1', at, conversation: 'other' },
      { role: 'user', content: 'None.', tool_calls: null, tool_call_id: null, at },
    ],
    '?conversation=chat',
  )
  assert.deepEqual([status, body.appended, body.reached], [201, 6, 'appended'], JSON.stringify(body))
  const [a, b, c, d, e] = await Promise.all(body.ids.map((id: string) => utterance(app, id)))
  assert.deepEqual([a.speaker, a.role, a.at, a.conversation], ['Maya', 'human', 1_772_441_940_000, 'chat'])
  assert.deepEqual(
    [b.speaker, b.role, b.text, b.at],
    ['assistant', 'agent', 'assistant: One.\nTwo.', 1_772_441_950_123],
  )
  assert.deepEqual(c.attachments, [{ kind: 'image', description: '', uri: 'https://e.org/x.png' }])
  assert.ok(c.at >= before && c.at <= Date.now(), 'without a time it is now')
  assert.equal(d.text, 'assistant: sum({"a":1})')
  assert.deepEqual([e.role, e.conversation], ['tool', 'other'])
})

test('a fault of a message names its field', async (t) => {
  const { app } = await temporaryGateway(t)
  for (const [message, pointer] of [
    [{ role: 'robot', content: 'x' }, '/0/role'],
    [{ role: 'user', content: 'x', speaker: 'Maya' }, '/0/speaker'],
    [{ role: 'user', content: [{ text: 'x' }] }, '/0/content'],
    [{ role: 'user', content: [] }, '/0/text'],
    [{ role: 'user', content: 'x', at: -1 }, '/0/at'],
    [{ role: 'user', content: 'x', at: 'yesterday' }, '/0/at'],
    [{ role: 'assistant', tool_calls: [{}] }, '/0/tool_calls'],
    [{ role: 'tool', content: 'x', tool_call_id: '1', metadata: 'red' }, '/0/metadata'],
  ] as const) {
    const { status, body } = await append(app, [message], '?conversation=c')
    assert.deepEqual([status, body.errors?.[0]?.pointer], [400, pointer], JSON.stringify(body))
  }
  const { status, body } = await append(app, { role: 'user', content: 'x' })
  assert.deepEqual([status, body.errors[0].pointer], [400, '/conversation'])
})

test('a stream of lines is appended in batches; a fault names its line, and the batches before it stay', async (t) => {
  const { app, log } = await temporaryGateway(t)
  const line = (n: number) => JSON.stringify({ id: `l${n}`, conversation: 'c', speaker: 'Ada', at, text: `Line ${n}.` })
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => line(from + index)).join('\n')
  const first = await append(app, `${lines(0, 1_200)}\n\n`)
  assert.deepEqual([first.status, first.body.appended, first.body.known], [201, 1_200, 0])
  const faulty = await append(app, `${lines(1_000, 1_700)}\n{"oops`)
  assert.deepEqual([faulty.status, faulty.body.errors[0].pointer], [400, '/700'], JSON.stringify(faulty.body))
  const conflict = await append(app, `${lines(1_500, 2_050)}\n${line(1).replace('Line', 'Other')}`)
  assert.deepEqual([conflict.status, conflict.body.errors[0].pointer], [409, '/550/id'])
  assert.match(conflict.body.errors[1].detail, /^the 500 utterances before are in the log/)
  assert.equal((await append(app, '\n')).status, 400)
  const records = (await log.endOffsets('utterances')).reduce((sum, end) => sum + end, 0)
  assert.equal(records, 2_000)
})

test('a stream is charged with all of its bytes, and read no faster than its caller may send', async (t) => {
  const limits = new CallerLimits({ ...defaultCallerLimits, bytesPerS: 500_000 })
  const caller: Caller = { ...localCaller, name: 'key:a', tenant: 'acme' }
  const { app } = await temporaryGateway(t, {
    access: { ...openAccess, isOpen: false, limits, authenticate: async () => caller },
  })
  const text = 'x'.repeat(60_000)
  const lines = Array.from({ length: 27 }, (_, n) =>
    JSON.stringify({ id: `l${n}`, conversation: 'c', speaker: 'Ada', at, text }),
  )
  const startedAt = performance.now()
  assert.equal((await append(app, lines.join('\n'))).status, 201)
  // 1.6 MB, of which the burst of two seconds covers 1 MB.
  assert.ok(performance.now() - startedAt > 1_000)
})

test('blank lines and lines of a refused batch of a stream are charged', async (t) => {
  let charged = 0
  class ByteCounter extends CallerLimits {
    override charge(_caller: unknown, bytes: number): number {
      charged += bytes
      return 0
    }
  }
  const caller: Caller = { ...localCaller, name: 'key:a', tenant: 'acme' }
  const limits = new ByteCounter(defaultCallerLimits)
  const { app } = await temporaryGateway(t, {
    access: { ...openAccess, isOpen: false, limits, authenticate: async () => caller },
  })
  const body = `${' '.repeat(1_000)}\n`.repeat(2 * Math.ceil(maxBodyBytes / 1_000))
  assert.equal((await append(app, `${body}{"oops`)).status, 400)
  assert.equal(charged, body.length + '{"oops'.length - maxBodyBytes)
})

/** A reader of views of a stage that never runs. */
function stuckViews() {
  const sources = new Map([
    ['utterances', 'utterances'],
    ['topic-shifts', 'topic-shifts-d1'],
  ] as const)
  return new ViewReader({ store: memoryStore(), vectorSpace: embedder.vectorSpace, partitions: 4, sources })
}

test('an append that is not derived within its wait is 202, and durable', async (t) => {
  const reading = async () => ({ generation: 'g1', epoch: 0, views: stuckViews(), embedder })
  const { app } = await temporaryGateway(t, { reading })
  const good = { id: 'w', conversation: 'c', speaker: 'Ada', at, text: 'The zebra.' }
  const { status, body } = await append(app, good, '?wait=in-views&waitMs=60')
  assert.deepEqual([status, body.appended, body.reached], [202, 1, 'appended'])
  assert.equal((await utterance(app, 'w')).text, 'Ada: The zebra.')
  assert.equal((await append(app, good, '?wait=soon')).status, 400)
  assert.equal((await append(app, good, '?waitMs=40000')).status, 400)
})

test('an append whose stages are done and whose views are not is 202, and says so', async (t) => {
  // Its generation has no stages.
  const { app } = await temporaryGateway(t)
  const line = { id: 'w', conversation: 'c', speaker: 'Ada', at, text: 'The zebra.' }
  const { status, body } = await append(app, line, '?wait=in-views&waitMs=60')
  assert.deepEqual([status, body.reached], [202, 'derived'])
})

test('callers that leave end the waits of their appends, which leave room for others', async (t) => {
  const { app } = await temporaryGateway(t)
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const leaving = new AbortController()
  const line = { id: 'w', conversation: 'c', speaker: 'Ada', at, text: 'The zebra.' }
  const init = { method: 'POST', body: JSON.stringify(line), headers: { 'content-type': 'application/json' } }
  const wait = () =>
    fetch(`${base}${url}?wait=in-views&waitMs=30000`, { ...init, signal: leaving.signal }).catch(() => {})
  for (let n = 0; n < 64; n++) void wait()
  // Beyond the limit, an append does not wait, and its stages are not looked at.
  const reached = async () => (await append(app, line, '?wait=in-views&waitMs=1')).body.reached
  await until(async () => {
    if ((await reached()) === 'appended') return true
    // That request may have had the last slot when one of the others came.
    void wait()
    return false
  }, 'an append beyond the limit of waits does not wait')
  leaving.abort()
  await until(
    async () => (await reached()) === 'derived',
    'the waits of callers that left are over, so that others can wait',
  )
})

test('the end of a conversation is appended once after its last utterance', async (t) => {
  const { app } = await temporaryGateway(t)
  await append(app, { id: 'z', conversation: 'a/b', speaker: 'Ada', at, text: 'Bye.' })
  const end = async (conversation: string) => {
    const reply = await app.inject({ method: 'POST', url: `/v1/spaces/home/conversations/${conversation}/end` })
    return [reply.statusCode, reply.json().appended, reply.json().known]
  }
  assert.deepEqual(await end('a%2Fb'), [201, 1, 0])
  assert.deepEqual(await end('a%2Fb'), [201, 0, 1])
  assert.equal((await end('none'))[0], 404)
})
