/** Retries of appends: messages and utterances without a time, with an id or with an Idempotency-Key. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryGateway } from '../fixture.ts'

const url = '/v1/spaces/home/utterances'
const message = { conversation: 'c', role: 'user', name: 'Maya', content: 'I live in Porto.' }

async function gateway(t: TestContext) {
  const { app, log } = await temporaryGateway(t)
  async function append(payload: unknown, headers: Record<string, string> = {}, path = url) {
    const isStream = typeof payload === 'string'
    const type = isStream ? 'application/x-ndjson' : 'application/json'
    const body = isStream ? payload : JSON.stringify(payload)
    // The next request has another time.
    await sleep(2)
    const all = { 'content-type': type, ...headers }
    const reply = await app.inject({ method: 'POST', url: path, headers: all, payload: body })
    return { status: reply.statusCode, body: reply.json() }
  }
  const records = async () => (await log.endOffsets('utterances')).reduce((sum, end) => sum + end, 0)
  const timeOf = async (id: string) => (await app.inject(`/v1/spaces/home/memories/${id}`)).json().memory.at
  return { append, records, timeOf }
}

test('a message with an id and without a time is known when it is sent again, and keeps its first time', async (t) => {
  const { append, records, timeOf } = await gateway(t)
  const first = await append({ ...message, id: 'm1' })
  const at = await timeOf('m1')
  const again = await append({ ...message, id: 'm1' })
  assert.deepEqual([first.status, again.status], [201, 201], JSON.stringify(again.body))
  assert.deepEqual([again.body.ids, again.body.appended, again.body.known], [first.body.ids, 0, 1])
  assert.equal(await timeOf('m1'), at)
  const inOne = await append([
    { ...message, id: 'm2' },
    { ...message, id: 'm2' },
  ])
  assert.deepEqual([inOne.body.appended, inOne.body.known], [1, 1])
  assert.equal((await append({ ...message, id: 'm1', content: 'I live in Graz.' })).status, 409)
  assert.equal((await append({ ...message, id: 'm1', at: '2026-03-02T09:00:00Z' })).status, 409, 'a time of its own')
  assert.equal(await records(), 2)
})

test('an utterance without a time is of now, and follows the rules of a message without one', async (t) => {
  const { append, records, timeOf } = await gateway(t)
  const utterance = { conversation: 'c', speaker: 'Maya', text: 'I live in Porto.', id: 'u1' }
  const before = Date.now()
  assert.equal((await append(utterance)).status, 201)
  const at = await timeOf('u1')
  assert.ok(at >= before && at <= Date.now(), String(at))
  const again = await append(utterance)
  assert.deepEqual([again.body.appended, again.body.known], [0, 1])
  assert.equal(await timeOf('u1'), at)
  assert.equal((await append({ ...utterance, at: '2026-03-02T09:00:00Z' })).status, 409, 'a time of its own')
  const stream = JSON.stringify({ ...utterance, id: 'u2' })
  assert.deepEqual([(await append(stream)).body.appended, (await append(stream)).body.known], [1, 1])
  assert.equal(await records(), 2)
})

test('a request with an Idempotency-Key has one effect: one message, a list and a stream', async (t) => {
  const { append, records } = await gateway(t)
  const list = [message, { ...message, content: 'And I sail.' }, { ...message, id: 'own' }, message]
  const stream = Array.from({ length: 1_100 }, (_, n) => JSON.stringify({ ...message, content: `Line ${n}` })).join(
    '\n',
  )
  let before = 0
  for (const [key, payload, count] of [
    ['one', message, 1],
    ['list', list, 4],
    ['stream', stream, 1_100],
    ['timed', { conversation: 'c', speaker: 'Maya', at: '2026-03-02T09:00:00Z', text: 'I sail.' }, 1],
  ] as const) {
    const first = await append(payload, { 'idempotency-key': key })
    const again = await append(payload, { 'Idempotency-Key': `"${key}"` })
    assert.deepEqual([first.status, first.body.appended], [201, count], JSON.stringify(first.body))
    assert.deepEqual([again.status, again.body.appended, again.body.known], [201, 0, count], JSON.stringify(again.body))
    assert.deepEqual(again.body.ids, first.body.ids)
    before += count
    assert.equal(await records(), before, key)
  }
  assert.equal((await append(message, { 'idempotency-key': 'another' })).body.appended, 1)
  const elsewhere = await append(message, { 'idempotency-key': 'one' }, '/v1/spaces/work/utterances')
  assert.equal(elsewhere.body.appended, 1, 'a key is one of its space')
})

test('an Idempotency-Key with other content is refused by its name, and the request writes nothing', async (t) => {
  const { append, records } = await gateway(t)
  const headers = { 'idempotency-key': 'k-1' }
  await append([message, message], headers)
  const refused = await append([message, { ...message, content: 'I live in Graz.' }, message], headers)
  assert.equal(refused.status, 409)
  assert.deepEqual(refused.body.errors, [
    { pointer: '/1', detail: 'the Idempotency-Key "k-1" was sent with other content' },
  ])
  assert.equal(await records(), 2)
})

test('an Idempotency-Key that is empty, too long or not printable is refused', async (t) => {
  const { append, records } = await gateway(t)
  for (const key of ['', '""', ' ', 'x'.repeat(256), 'caf\u00e9']) {
    const refused = await append(message, { 'idempotency-key': key })
    assert.equal(refused.status, 400, key)
    assert.match(refused.body.detail, /^Idempotency-Key is ".*: expected 1 to 255 printable ASCII characters/)
  }
  assert.equal(await records(), 0)
  assert.equal((await append(message, { 'idempotency-key': 'x'.repeat(255) })).status, 201)
})
