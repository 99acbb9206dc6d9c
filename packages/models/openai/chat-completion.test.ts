import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFakeEndpoint } from '../fake/endpoint.ts'
import { inFlightLimiter } from '../in-flight-limiter.ts'
import { SpendingLimit } from '../spending-limit.ts'
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
