import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFakeEndpoint } from '../fake/endpoint.ts'
import { openAiModel } from './chat.ts'
import { socketTimeouts } from './connection.ts'
import { openAiEmbedder } from './embeddings.ts'

const endpoint = await startFakeEndpoint({ dimensions: 8 })
after(() => endpoint.close())

test('the HTTP client waits longer than the timeout, also above its own 300 s', () => {
  for (const timeoutMs of [60_000, 3_600_000]) {
    for (const most of Object.values(socketTimeouts(timeoutMs))) assert.ok(most > timeoutMs)
  }
})

test('every request is counted when it is sent, those that fail and those that repair an answer too', async () => {
  let calls = 0
  const onCall = () => {
    calls += 1
  }
  const shared = { baseUrl: endpoint.baseUrl, apiKey: 'k', model: 'fake' }
  const chat = openAiModel(shared)
  const request = { prompt: 'Is it so?', input: 'yes', schema: { type: 'boolean' }, schemaName: 'so', onCall }
  endpoint.setScript([
    { fault: 'invalid-json' },
    { fault: 'none' },
    { fault: 'status', status: 500 },
    { fault: 'reset' },
  ])
  await chat.answer(request)
  await assert.rejects(chat.answer(request))
  await chat.answer(request)
  const embedder = openAiEmbedder({ ...shared, vectorSpace: { name: 'fake-8', dimensions: 8 } })
  await embedder.embed(['a', 'b'], { onCall })
  await embedder.close()
  assert.equal(endpoint.calls().total, 7)
  assert.equal(calls, 7)
})
