/** The key or token of a request is recorded with every event that it brings. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { anyAuthor, openAccess } from '@loomlog/access/caller'
import { scopes } from '@loomlog/access/scopes'
import type { SourceEvent } from '@loomlog/schemas/events'
import { temporaryGateway } from '../fixture.ts'

const url = '/v1/spaces/home'
const utterance = { id: 'u1', conversation: 'c', speaker: 'Ada', text: 'A zebra.' }

/** The header `authorization` is the caller's name. */
async function gateway(t: TestContext) {
  const { app, log, codec } = await temporaryGateway(t, {
    access: {
      ...openAccess,
      isOpen: false,
      authenticate: async (name = '') => ({
        name,
        tenant: 'acme',
        scopes: new Set(scopes),
        spaces: null,
        authors: anyAuthor,
        credential: { kind: 'key', id: name },
      }),
    },
  })
  const post = (path: string, authorization: string, payload: object | string, type = 'application/json') =>
    app.inject({
      method: 'POST',
      url: `${url}/${path}`,
      headers: { authorization, 'content-type': type },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
  const brought = async () => {
    const found: (string | null)[][] = []
    for await (const records of log.read({ topic: 'utterances', until: 'end' }))
      for (const { value } of records) {
        const event = (await codec.decode(value)) as SourceEvent
        found.push([event.type, 'principal' in event ? event.principal : null])
      }
    return found
  }
  return { post, brought }
}

test('an utterance, a stream, a correction and a retraction carry the key that brought them', async (t) => {
  const { post, brought } = await gateway(t)
  await post('utterances', 'key:k1', utterance)
  await post('utterances', 'token:maya', `${JSON.stringify({ ...utterance, id: 'u2' })}\n`, 'application/x-ndjson')
  await post('corrections', 'key:k3', { action: 'add', text: 'Ada rides a zebra.', by: 'Ada' })
  await post('retractions', 'key:k4', { utterances: ['u1'], by: 'Ada' })
  assert.deepEqual(await brought(), [
    ['UtteranceAppended', 'key:k1'],
    ['UtteranceAppended', 'token:maya'],
    ['MemoryCorrected', 'key:k3'],
    ['EvidenceRetracted', 'key:k4'],
  ])
})

test('the same utterance by another key is known, and keeps the first one', async (t) => {
  const { post, brought } = await gateway(t)
  await post('utterances', 'key:k1', utterance)
  const again = await post('utterances', 'key:k2', utterance)
  assert.deepEqual([again.statusCode, again.json().known], [201, 1])
  assert.deepEqual(await brought(), [['UtteranceAppended', 'key:k1']])
})

test('a caller can not name its principal', async (t) => {
  const { post } = await gateway(t)
  for (const [path, body] of [
    ['utterances', { ...utterance, principal: 'key:k9' }],
    ['corrections', { action: 'add', text: 'A zebra.', by: 'Ada', principal: 'key:k9' }],
  ] as const) {
    const reply = await post(path, 'key:k1', body)
    assert.deepEqual([reply.statusCode, /principal/.test(reply.body)], [400, true], path)
  }
})

test('a body that is no object is refused', async (t) => {
  const { post } = await gateway(t)
  for (const path of ['corrections', 'retractions'])
    assert.equal((await post(path, 'key:k1', 'null')).statusCode, 400, path)
})

test("a retraction by principal selects what one key brought, under any speaker's name", async (t) => {
  const { post } = await gateway(t)
  await post('utterances', 'key:k1', utterance)
  await post('utterances', 'key:k2', [
    { ...utterance, id: 'u2' },
    { ...utterance, id: 'u3', speaker: 'Boss' },
  ])
  const plan = await post('retractions', 'key:k1', { principal: 'key:k2', by: 'Ada', dryRun: true })
  assert.deepEqual(
    plan.json().utterances.map(({ id }: { id: string }) => id),
    ['u2', 'u3'],
  )
})
