/**
 * Endpoints and the proxies before them send any JSON: a reply is an answer or an outage, and never crashes the
 * process.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFakeEndpoint } from '../fake/endpoint.ts'
import { SpendingLimit } from '../spending-limit.ts'
import { ModelUnavailable } from '../unavailable.ts'
import { openAiModel } from './chat.ts'
import { openAiEmbedder } from './embeddings.ts'
import { openAiToolModel } from './tool-model.ts'

const endpoint = await startFakeEndpoint()
after(() => endpoint.close())

const limits = { tokensPerMinute: 1_000_000, moneyPerDay: null }
const spending = new SpendingLimit({ limits, priceOf: () => null, spentToday: async () => 0 })
const options = { baseUrl: endpoint.baseUrl, apiKey: '', model: 'fake', spending }
const request = { prompt: 'Is it so?', input: 'yes', schema: { type: 'boolean' }, schemaName: 'so' } as const
const { signal } = new AbortController()

const chat = () => openAiModel(options).answer(request)
const turn = () => openAiToolModel(options).turn({ prompt: 'Search.', messages: [], tools: [], signal })
const embed = () => openAiEmbedder({ ...options, vectorSpace: { name: 'fake-2', dimensions: 2 } }).embed(['a text'])

function script(body: string, status = 200) {
  return { fault: 'body', status, body } as const
}

function completion(message: object, rest: object = {}): string {
  return JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], ...rest })
}

for (const [what, body, status] of [
  ['an empty body', '', 200],
  ['null', 'null', 200],
  ['a 204', '', 204],
  ['a text', '"busy"', 200],
  ['a list', '[]', 200],
  ['null in the place of a choice', '{"choices":[null]}', 200],
  ['null in the place of an embedding', '{"data":[null]}', 200],
  ['a text in the place of a vector', '{"data":[{"index":0,"embedding":"AAAA"}]}', 200],
] as const) {
  test(`${what} is an outage`, async () => {
    for (const call of [chat, turn, embed]) {
      endpoint.setScript([script(body, status)])
      await assert.rejects(call(), (error) => error instanceof ModelUnavailable)
    }
  })
}

test('an answer without text is asked for again, and is none after the second try', async () => {
  for (const message of [
    {},
    { content: null },
    { content: 7 },
    { content: [] },
    { content: [null, { type: 'text' }] },
  ]) {
    endpoint.setScript([script(completion(message)), script(completion({ content: 'true' }))])
    assert.equal((await chat()).value, true)
    endpoint.setScript([script(completion(message)), script(completion(message))])
    const answer = await chat()
    assert.equal(answer.kind === 'none' && answer.reason, 'no valid answer: the answer is empty')
    endpoint.setScript([script(completion(message))])
    assert.deepEqual(await turn(), { text: '', calls: [], tokens: 0 })
  }
})

test('an answer in parts is the text of its parts', async () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'false?' }] },
    { type: 'text', text: 'tr' },
    { type: 'text', text: 'ue' },
  ]
  endpoint.setScript([script(completion({ content })), script(completion({ content }))])
  assert.equal((await chat()).value, true)
  assert.equal((await turn()).text, 'true')
})

test('counts that are no numbers count as missing', async () => {
  const usage = { prompt_tokens: '12', completion_tokens: null, total_tokens: {} }
  endpoint.setScript([
    script(completion({ content: 'true' }, { usage })),
    script(completion({ content: '' }, { usage })),
  ])
  assert.deepEqual(await chat(), { kind: 'answer', value: true, attempts: 1, inputTokens: 0, outputTokens: 0 })
  assert.equal((await turn()).tokens, 0)
})

test('a tool call whose name is no text is left out, and arguments that are no text are given as JSON', async () => {
  const tool_calls = [
    null,
    { id: 'a', type: 'function', function: { name: 7, arguments: '{}' } },
    { id: 'b', type: 'function', function: { name: 'search', arguments: { q: 'x' } } },
  ]
  endpoint.setScript([script(completion({ content: null, tool_calls }))])
  assert.deepEqual((await turn()).calls, [{ id: 'b', name: 'search', input: '{"q":"x"}' }])
})

for (const param of [7, ['messages', 0], {}, true]) {
  test(`a 400 whose param is ${JSON.stringify(param)} is a refusal of the input, like one without param`, async () => {
    endpoint.setScript([script(JSON.stringify({ error: { message: 'no', code: 400, type: ['x'], param } }), 400)])
    const answer = await chat()
    assert.equal(answer.kind === 'none' && answer.reason, 'the endpoint refused the input (400)')
  })
}
