import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { startFakeEndpoint } from '../fake/endpoint.ts'
import { SpendingLimit } from '../spending-limit.ts'
import { ModelUnavailable } from '../unavailable.ts'
import { openAiEmbedder } from './embeddings.ts'

const endpoint = await startFakeEndpoint({ dimensions: 64 })
after(() => endpoint.close())
beforeEach(() => {
  endpoint.reset()
  endpoint.setScript([])
})

function embedder(dimensions = 64, { baseUrl } = endpoint) {
  return openAiEmbedder({
    baseUrl,
    apiKey: 'sk-key',
    model: 'fake-embed',
    vectorSpace: { name: `fake-${dimensions}`, dimensions },
    timeoutMs: 5_000,
  })
}

test('vectors have length 1 and the order of the texts, although the endpoint answers in another order', async () => {
  const texts = ['one', 'two', 'three']
  const batched = await embedder().embed(texts, { shape: 'batched' })
  assert.equal(endpoint.calls().embeddings, 1)
  const single = await embedder().embed(texts)
  assert.equal(endpoint.calls().embeddings, 4)
  assert.deepEqual(batched, single)
  for (const vector of single) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6)
})

test('the empty text has the zero vector, without a request', async () => {
  const [empty, blank] = await embedder().embed(['', ' \n'])
  assert.ok(empty?.every((component) => component === 0) && blank?.length === 64)
  assert.equal(endpoint.calls().total, 0)
})

test('a long text is cut, and 300 texts take three requests in batches', async () => {
  const texts = Array.from({ length: 300 }, (_, n) => (n === 7 ? 'x'.repeat(100_000) : `text ${n}`))
  assert.equal((await embedder().embed(texts, { shape: 'batched' })).length, 300)
  assert.equal(endpoint.calls().embeddings, 3)
  assert.ok(endpoint.calls().inputTokens < 4_000)
})

test('vectors of another size than declared are a mismatch', async () => {
  await assert.rejects(embedder(32).embed(['text']), (error) => isLoomlogError(error, 'embedder-mismatch'))
})

test('429 throws ModelUnavailable with the time to wait, and queued texts are not sent', async () => {
  const fault = { fault: 'status', status: 429, retryAfterSeconds: 1 } as const
  const busy = await startFakeEndpoint({ script: new Array(100).fill(fault) })
  const texts = Array.from({ length: 100 }, (_, n) => `text ${n}`)
  await assert.rejects(embedder(64, busy).embed(texts), (error) => {
    assert.ok(error instanceof ModelUnavailable)
    assert.equal(error.retryAfterMs, 1_000)
    return true
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await busy.close()
  assert.ok(busy.calls().total < 30, `${busy.calls().total} requests`)
})

test('a request whose socket is lost after a while is not sent again: the endpoint may have done the work', async () => {
  const slow = await startFakeEndpoint({ dimensions: 64, latencyMs: 1_100, script: [{ fault: 'reset' }] })
  await assert.rejects(embedder(64, slow).embed(['text']), ModelUnavailable)
  await slow.close()
  assert.equal(slow.calls().total, 1)
})

test('a request whose socket the endpoint closed is sent again, once', async () => {
  endpoint.setScript([{ fault: 'reset' }])
  assert.equal((await embedder().embed(['text'])).length, 1)
  assert.equal(endpoint.calls().total, 2)
  endpoint.setScript([{ fault: 'reset' }, { fault: 'reset' }])
  await assert.rejects(embedder().embed(['other text']), ModelUnavailable)
  assert.equal(endpoint.calls().total, 4)
})

test('a text that the endpoint does not accept is a refusal, not an outage', async () => {
  endpoint.setScript([{ fault: 'status', status: 400, code: 'context_length_exceeded' }])
  await assert.rejects(embedder().embed(['text']), (error) => isLoomlogError(error, 'model-refused'))
})

test('close ends calls in flight', async () => {
  endpoint.setScript([{ fault: 'hang' }])
  const closing = embedder()
  const asked = closing.embed(['text'])
  setTimeout(() => closing.close(), 30)
  await assert.rejects(asked, /is closed/)
})

test('embeddings spend money and tokens, and beyond a limit nothing is sent', async () => {
  const limits = { tokensPerMinute: null, moneyPerDay: 0.001 }
  const priceOf = (model: string, { inputTokens }: { readonly inputTokens: number }) =>
    model === 'openai:fake-embed' ? inputTokens / 1_000 : null
  const spending = new SpendingLimit({ limits, priceOf, spentToday: async () => 0 })
  const vectorSpace = { name: 'fake-64', dimensions: 64 }
  const paid = openAiEmbedder({ baseUrl: endpoint.baseUrl, apiKey: '', model: 'fake-embed', vectorSpace, spending })
  await paid.embed(['one text'])
  await assert.rejects(paid.embed(['another']), (error) => {
    assert.ok(error instanceof ModelUnavailable)
    assert.match(error.message, /a day \(LOOMLOG_MODEL_MONEY_PER_DAY\) is spent/)
    return true
  })
  assert.equal(endpoint.calls().embeddings, 1)
})
