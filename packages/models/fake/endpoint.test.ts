import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '@loomlog/schemas/ids'
import { validate } from '../openai/validation.ts'
import { fakeAnswer } from './answers.ts'
import { startFakeEndpoint } from './endpoint.ts'

const schema = {
  type: 'object',
  required: ['facts', 'mood', 'who', 'score', 'sure', 'kind', 'when'],
  additionalProperties: false,
  properties: {
    facts: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: {
        type: 'object',
        required: ['text'],
        properties: { text: { type: 'string', minLength: 20, maxLength: 30 } },
      },
    },
    mood: { enum: ['glad', 'sad'] },
    who: { $ref: '#/$defs/name' },
    score: { type: 'integer', minimum: 3, maximum: 5 },
    sure: { type: 'number', maximum: -1 },
    kind: { const: 'fake' },
    when: { anyOf: [{ type: 'null' }, { type: ['string', 'boolean'] }] },
  },
  $defs: { name: { type: 'string' } },
}

async function post(url: string, body: Json): Promise<{ status: number; body: { [key: string]: Json } }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as { [key: string]: Json } }
}

test('invented answers fit their schema, differ between inputs, and are the same for the same input', () => {
  const answers = Array.from({ length: 200 }, (_, n) => fakeAnswer(schema, { n }))
  for (const answer of answers) assert.ok('value' in validate(JSON.stringify(answer), schema))
  assert.ok(new Set(answers.map((answer) => JSON.stringify(answer))).size > 190)
  assert.deepEqual(fakeAnswer(schema, { n: 7 }), answers[7])
})

test('forbid mode refuses and counts every call', async () => {
  const endpoint = await startFakeEndpoint({ mode: 'forbid' })
  const asked = { model: 'fake', messages: [{ role: 'user', content: 'hi' }] }
  assert.equal((await post(`${endpoint.baseUrl}/chat/completions`, asked)).status, 599)
  assert.equal((await post(`${endpoint.baseUrl}/embeddings`, { model: 'fake', input: ['hi'] })).status, 599)
  const { total, forbidden, chat, embeddings } = endpoint.calls()
  assert.deepEqual({ total, forbidden, chat, embeddings }, { total: 2, forbidden: 2, chat: 0, embeddings: 0 })
  endpoint.setMode('answer')
  endpoint.reset()
  assert.equal((await post(`${endpoint.baseUrl}/chat/completions`, asked)).status, 200)
  assert.deepEqual([endpoint.calls().forbidden, endpoint.calls().chat], [0, 1])
  await endpoint.close()
})

test('a test may give the answers itself, from the input and the schema', async () => {
  const endpoint = await startFakeEndpoint({ answer: ({ input, schemaName, prompt }) => [input, schemaName, prompt] })
  const reply = await post(`${endpoint.baseUrl}/chat/completions`, {
    model: 'fake',
    messages: [
      { role: 'system', content: 'Do it.' },
      { role: 'user', content: '{"n":1}' },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'thing', schema } },
  })
  assert.match(JSON.stringify(reply.body), /\[\{\\"n\\":1\},\\"thing\\",\\"Do it\.\\"\]/)
  await endpoint.close()
})

test('faults come in the order of the script, and replies after the configured delay', async () => {
  const endpoint = await startFakeEndpoint({
    latencyMs: 50,
    script: [{ fault: 'status', status: 503 }, { fault: 'none' }],
  })
  const startMs = performance.now()
  const statuses = []
  for (const _ of [1, 2, 3])
    statuses.push((await post(`${endpoint.baseUrl}/embeddings`, { model: 'f', input: 'x' })).status)
  await endpoint.close()
  assert.deepEqual(statuses, [503, 200, 200])
  assert.ok(performance.now() - startMs >= 145)
})

test('close ends connections that hang', async () => {
  const endpoint = await startFakeEndpoint({ script: [{ fault: 'hang' }] })
  const asked = assert.rejects(post(`${endpoint.baseUrl}/embeddings`, { model: 'fake', input: 'x' }))
  while (endpoint.calls().total === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await endpoint.close()
  await asked
})
