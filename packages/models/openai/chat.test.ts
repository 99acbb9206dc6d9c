import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { startFakeEndpoint } from '../fake/endpoint.ts'
import { inFlightLimiter } from '../in-flight-limiter.ts'
import { ModelUnavailable } from '../unavailable.ts'
import { type ModelAnswer, openAiModel } from './chat.ts'
import type { ChatOptions } from './chat-completion.ts'

const apiKey = 'sk-very-secret-key'
const endpoint = await startFakeEndpoint()
after(() => endpoint.close())
beforeEach(() => {
  endpoint.reset()
  endpoint.setScript([])
})

const schema = {
  type: 'object',
  properties: { label: { enum: ['same', 'new'] }, confidence: { type: 'number', minimum: 0, maximum: 1 } },
  required: ['label', 'confidence'],
  additionalProperties: false,
}
const request = { prompt: 'Is it a new topic?', input: { b: 'beach', a: 'adoption' }, schema, schemaName: 'shift' }

function model(options: Partial<ChatOptions> = {}) {
  return openAiModel({ baseUrl: endpoint.baseUrl, apiKey, model: 'fake-1', timeoutMs: 5_000, ...options })
}

/** Null: there is an answer. */
function reasonOf(answer: ModelAnswer): string | null {
  return answer.kind === 'none' ? answer.reason : null
}

async function failure(work: Promise<unknown>): Promise<ModelUnavailable> {
  const error = await work.then(
    () => assert.fail('expected a failure'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ModelUnavailable, `not ModelUnavailable: ${error}`)
  return error
}

test('an answer fits the schema, and comes with its cost under a name without the host', async () => {
  const chat = model()
  const answer = await chat.answer(request)
  assert.equal(chat.name, 'openai:fake-1')
  assert.equal(answer.kind, 'answer')
  assert.match(JSON.stringify(answer.value), /"label":"(same|new)"/)
  assert.equal(answer.attempts, 1)
  assert.ok(answer.inputTokens > 0 && answer.outputTokens > 0)
  assert.deepEqual((await model().answer(request)).value, answer.value)
})

test('a request holds the prompt, the canonical input, a strict schema and the parameters', async () => {
  const seen: string[] = []
  const other = await startFakeEndpoint({
    answer: (asked) => {
      seen.push(JSON.stringify(asked.body))
      return { label: 'new', confidence: 1 }
    },
  })
  await model({ baseUrl: other.baseUrl, parameters: { temperature: 0, seed: 7 } }).answer(request)
  await other.close()
  assert.deepEqual(JSON.parse(seen[0] ?? ''), {
    temperature: 0,
    seed: 7,
    model: 'fake-1',
    messages: [
      { role: 'system', content: 'Is it a new topic?' },
      { role: 'user', content: '{"a":"adoption","b":"beach"}' },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'shift', schema, strict: true } },
  })
})

for (const fault of ['invalid-json', 'breaks-schema'] as const) {
  test(`after the fault ${fault} the model is asked once more, and the second answer counts`, async () => {
    endpoint.setScript([{ fault }])
    const answer = await model().answer(request)
    assert.equal(answer.kind, 'answer')
    assert.equal(answer.attempts, 2)
    assert.equal(endpoint.calls().inputTokens, answer.inputTokens)
    assert.equal(endpoint.calls().outputTokens, answer.outputTokens)
  })

  test(`after the fault ${fault} twice the answer is none, with the reason`, async () => {
    endpoint.setScript([{ fault }, { fault }])
    const answer = await model().answer(request)
    assert.match(
      reasonOf(answer) ?? '',
      /^no valid answer: the answer (is not JSON|must have required property 'label')/,
    )
    assert.equal(answer.value, null)
    assert.equal(endpoint.calls().chat, 2)
  })
}

test('the second try gets the validation errors of the first', async () => {
  const seen: string[] = []
  const other = await startFakeEndpoint({
    answer: (asked) => {
      seen.push(JSON.stringify(asked.body))
      return asked.attempt === 1 ? { label: 'other', confidence: 1 } : { label: 'same', confidence: 1 }
    },
  })
  const answer = await model({ baseUrl: other.baseUrl }).answer(request)
  await other.close()
  assert.deepEqual(answer.value, { label: 'same', confidence: 1 })
  assert.match(seen[1] ?? '', /\/label must be equal to one of the allowed values/)
  assert.match(seen[1] ?? '', /"role":"assistant"/)
})

test('a refusal and an answer cut off at the length limit are answers, without a second try', async () => {
  endpoint.setScript([{ fault: 'refusal' }, { fault: 'cut-off' }])
  assert.equal(reasonOf(await model().answer(request)), 'the model refused')
  assert.equal(reasonOf(await model().answer(request)), 'the answer was cut off at the length limit')
  assert.equal(endpoint.calls().chat, 2)
})

for (const status of [400, 413, 422]) {
  test(`${status} about the input is an answer, whose reason quotes no input`, async () => {
    endpoint.setScript([
      { fault: 'status', status, code: 'context_length_exceeded', message: 'too long: "secret words"' },
    ])
    const answer = await model().answer(request)
    assert.equal(reasonOf(answer), `the endpoint refused the input (${status} context_length_exceeded)`)
    assert.equal(answer.attempts, 1)
  })
}

test('a 400 about a parameter or the budget is an outage, not an answer', async () => {
  endpoint.setScript([
    { fault: 'status', status: 400, param: 'temperature', code: 'unsupported_value' },
    { fault: 'status', status: 400, message: 'Your credit balance is too low' },
  ])
  await failure(model().answer(request))
  await failure(model().answer(request))
})

test('an endpoint that refuses a strict schema gets a simpler form, from then on at the first try', async () => {
  const strict: boolean[] = []
  const other = await startFakeEndpoint({
    script: [{ fault: 'status', status: 400, param: 'response_format', message: 'Invalid schema' }],
    answer: (asked) => {
      strict.push(JSON.stringify(asked.body).includes('"strict":true'))
      return { label: 'new', confidence: 0 }
    },
  })
  const chat = model({ baseUrl: other.baseUrl })
  assert.equal((await chat.answer(request)).kind, 'answer')
  await chat.answer(request)
  await other.close()
  assert.deepEqual(strict, [true, false, false])
})

for (const message of [
  'JSON schema conversion failed:\nPattern must start with ^',
  'Failed to initialize samplers: failed to parse grammar',
]) {
  test(`an endpoint that makes no grammar of the schema gets JSON without one: ${message.slice(0, 30)}`, async () => {
    const refusal = { fault: 'status', status: 400, code: 'invalid_request_error', message } as const
    const answer = { label: 'new', confidence: 0 }
    const other = await startFakeEndpoint({ script: [refusal, refusal], answer: () => answer })
    const { kind, value } = await model({ baseUrl: other.baseUrl }).answer(request)
    await other.close()
    assert.deepEqual([kind, value], ['answer', answer])
  })
}

test('an endpoint that takes no response format at all gets the schema in the prompt', async () => {
  const seen: string[] = []
  const other = await startFakeEndpoint({
    script: [1, 2, 3].map(() => ({ fault: 'status', status: 422, message: 'extra field response_format' })),
    answer: (asked) => {
      seen.push(asked.prompt)
      return { label: 'new', confidence: 0 }
    },
  })
  const answer = await model({ baseUrl: other.baseUrl }).answer(request)
  await other.close()
  assert.equal(answer.kind, 'answer')
  assert.match(seen.at(-1) ?? '', /Is it a new topic\?\s+.*JSON Schema: \{"additionalProperties":false/)
})

for (const status of [401, 402, 403, 404, 408, 429, 500, 503, 599]) {
  test(`${status} throws ModelUnavailable, after one request`, async () => {
    endpoint.setScript([{ fault: 'status', status }])
    const error = await failure(model().answer(request))
    assert.ok(isLoomlogError(error, 'model-unavailable') && error.retryable)
    assert.equal(error.retryAfterMs, null)
    assert.match(error.message, new RegExp(`^openai:fake-1 at ${endpoint.baseUrl} is unavailable: ${status}`))
    assert.equal(endpoint.calls().total, 1)
  })
}

test('a 429 carries the wait that the endpoint asks for', async () => {
  endpoint.setScript([{ fault: 'status', status: 429, retryAfterSeconds: 2 }])
  assert.equal((await failure(model().answer(request))).retryAfterMs, 2_000)
})

for (const fault of ['hang', 'hang-midway'] as const) {
  test(`after the fault ${fault} the endpoint is unavailable once the timeout has passed`, async () => {
    endpoint.setScript([{ fault }])
    const error = await failure(model({ timeoutMs: 100 }).answer(request))
    assert.equal(error.message, `openai:fake-1 at ${endpoint.baseUrl} gave no answer within 100 ms`)
  })
}

test('a request whose socket the endpoint closed is sent again', async () => {
  endpoint.setScript([{ fault: 'reset' }])
  await model().answer(request)
  assert.equal(endpoint.calls().total, 2)
})

for (const fault of ['reset-midway', 'html'] as const) {
  test(`the fault ${fault} is an outage, not an answer`, async () => {
    endpoint.setScript([{ fault }])
    await failure(model().answer(request))
    assert.equal(endpoint.calls().total, 1)
  })
}

test('a closed address is unavailable', async () => {
  const gone = await startFakeEndpoint()
  await gone.close()
  const error = await failure(model({ baseUrl: gone.baseUrl }).answer(request))
  assert.match(error.message, /ECONNREFUSED/)
})

test('without a key, none is taken from the environment', async () => {
  process.env.OPENAI_API_KEY = 'sk-of-someone-else'
  const keys: (string | undefined)[] = []
  const local = createServer((asked, reply) => {
    keys.push(asked.headers.authorization)
    reply.writeHead(500).end()
  })
  await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve))
  const { port } = local.address() as AddressInfo
  await failure(model({ apiKey: '', baseUrl: `http://127.0.0.1:${port}/v1` }).answer(request))
  delete process.env.OPENAI_API_KEY
  local.closeAllConnections()
  local.close()
  assert.deepEqual(keys, ['Bearer none'])
})

test('the key is in no message, though the endpoint quotes it', async () => {
  endpoint.setScript([{ fault: 'status', status: 401, message: `Incorrect API key: ${apiKey}` }])
  const error = await failure(model().answer(request))
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    assert.doesNotMatch(`${at.message} ${at.stack} ${JSON.stringify(at)}`, new RegExp(apiKey))
  }
  assert.match(error.message, /401 Incorrect API key: \[key\]/)
})

test("the caller's signal stops a running call and a queued one", async () => {
  endpoint.setScript([{ fault: 'hang' }])
  const chat = model({ limiter: inFlightLimiter(1) })
  const stop = new AbortController()
  const asked = chat.answer({ ...request, signal: stop.signal })
  const waiting = chat.answer({ ...request, signal: stop.signal })
  const lost = new Error('lease lost')
  setTimeout(() => stop.abort(lost), 50)
  await assert.rejects(asked, (error) => error === lost)
  await assert.rejects(waiting, (error) => error === lost)
  assert.equal(endpoint.calls().total, 1)
  assert.equal((await chat.answer(request)).kind, 'answer')
})

test('at most as many calls as the limiter allows are in flight, and all get their answer', async () => {
  const slow = await startFakeEndpoint({ latencyMs: 20 })
  const chat = model({ baseUrl: slow.baseUrl, limiter: inFlightLimiter(3) })
  const ask = (n: number) => chat.answer({ ...request, input: n })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n).then(() => ask(n + 100))))
  await slow.close()
  assert.equal(answers.filter((answer) => answer.kind === 'answer').length, 12)
  assert.equal(slow.calls().mostAtOnce, 3)
})
