import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Fault, startFakeEndpoint } from '../fake/endpoint.ts'
import { inFlightLimiter } from '../in-flight-limiter.ts'
import { SpendingLimit, type SpentTokens } from '../spending-limit.ts'
import { ModelUnavailable } from '../unavailable.ts'
import { openAiModel } from './chat.ts'
import { openAiToolModel } from './tool-model.ts'

const endpoint = await startFakeEndpoint({ latencyMs: 20 })
after(() => endpoint.close())
const options = { baseUrl: endpoint.baseUrl, apiKey: 'fake-key', model: 'fake', limiter: inFlightLimiter(1) }
const request = { prompt: 'Is it so?', input: 'yes', schema: { type: 'boolean' }, schemaName: 'so' } as const

function tokensPerMinute(limit: number): SpendingLimit {
  const limits = { tokensPerMinute: limit, moneyPerDay: null }
  return new SpendingLimit({ limits, priceOf: () => null, spentToday: async () => 0 })
}

test('a call that waits for a slot reserves no tokens', async () => {
  const chat = openAiModel({ ...options, spending: tokensPerMinute(600) })
  const answers = await Promise.all(Array.from({ length: 8 }, () => chat.answer(request)))
  const used = answers.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0)
  assert.ok(used < 600, `${used} tokens`)
})

test('the turns of a model with tools spend from the same limit', async () => {
  const spending = tokensPerMinute(1)
  const model = openAiToolModel({ ...options, spending })
  const { signal } = new AbortController()
  const turn = () => model.turn({ prompt: 'Search.', messages: [{ from: 'user', text: 'Where?' }], tools: [], signal })
  await turn()
  await assert.rejects(turn(), /1 tokens a minute \(LOOMLOG_MODEL_TOKENS_PER_MINUTE\) is reached/)
  await assert.rejects(openAiModel({ ...options, spending }).answer(request), ModelUnavailable)
})

test('a model with tools and a chat model with one limiter share its slots', async () => {
  const slow = await startFakeEndpoint({ latencyMs: 20 })
  const shared = { ...options, baseUrl: slow.baseUrl, limiter: inFlightLimiter(2) }
  const [chat, tools] = [openAiModel(shared), openAiToolModel(shared)]
  const { signal } = new AbortController()
  const turn = () => tools.turn({ prompt: 'Search.', messages: [{ from: 'user', text: 'Where?' }], tools: [], signal })
  await Promise.all(Array.from({ length: 4 }, () => [chat.answer(request), turn()]).flat())
  await slow.close()
  assert.equal(slow.calls().mostAtOnce, 2)
})

test('a request is watched while it holds its slot, not while it waits for one', async () => {
  const chat = openAiModel(options)
  let [watched, most] = [0, 0]
  const whileInFlight = async <T>(send: () => Promise<T>): Promise<T> => {
    watched += 1
    most = Math.max(most, watched)
    return await send().finally(() => {
      watched -= 1
    })
  }
  await Promise.all(Array.from({ length: 5 }, () => chat.answer({ ...request, whileInFlight })))
  assert.equal(most, 1)
})

const perCall = (_: string, { inputTokens }: SpentTokens) => (inputTokens === 0 ? 0 : 1)

/** The calls that reach the endpoint until 2 a day is spent, at 1 a call; at most 10. */
async function callsUntilSpent(fault: Fault, latencyMs = 0): Promise<number> {
  const failing = await startFakeEndpoint({ latencyMs, script: new Array(20).fill(fault) })
  const limits = { tokensPerMinute: null, moneyPerDay: 2 }
  const spending = new SpendingLimit({ limits, priceOf: perCall, spentToday: async () => 0 })
  const chat = openAiModel({ ...options, baseUrl: failing.baseUrl, timeoutMs: 1_500, spending })
  let calls = 0
  for (; calls < 10; calls++) {
    const error = await chat.answer({ ...request, isRecorded: true }).catch((thrown: unknown) => thrown)
    if (error instanceof ModelUnavailable && error.message.includes('is spent')) break
  }
  await failing.close()
  return calls
}

test('an endpoint that is slower than the timeout, or cuts its replies off, reaches the limit of money', async () => {
  const spent = await Promise.all([
    callsUntilSpent({ fault: 'hang' }),
    callsUntilSpent({ fault: 'hang-midway' }),
    callsUntilSpent({ fault: 'reset-midway' }),
    callsUntilSpent({ fault: 'reset' }, 1_100),
    callsUntilSpent({ fault: 'html' }),
    callsUntilSpent({ fault: 'status', status: 504 }),
  ])
  assert.deepEqual(spent, [2, 2, 2, 2, 2, 2])
})

test('an endpoint that refuses calls, or never gets them, spends nothing', async () => {
  const spent = await Promise.all([
    callsUntilSpent({ fault: 'status', status: 429 }),
    callsUntilSpent({ fault: 'status', status: 503 }),
    callsUntilSpent({ fault: 'status', status: 400 }),
  ])
  assert.deepEqual(spent, [10, 10, 10])
  const gone = await startFakeEndpoint()
  await gone.close()
  const limits = { tokensPerMinute: null, moneyPerDay: 2 }
  const spending = new SpendingLimit({ limits, priceOf: perCall, spentToday: async () => 0 })
  const chat = openAiModel({ ...options, baseUrl: gone.baseUrl, spending })
  for (let calls = 0; calls < 5; calls++) await assert.rejects(chat.answer(request), /ECONNREFUSED/)
})
