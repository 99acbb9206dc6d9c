import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inFlightLimiter } from '@loomlog/models/in-flight-limiter'
import { SpendingLimit } from '@loomlog/models/spending-limit'
import { embedderConfigs } from './embedder-config.ts'
import { bundledEmbedders } from './embedder-kinds.ts'
import type { Environment } from './environment.ts'

const key = { LOOMLOG_API_KEY: 'sk-key' }
const noLimits = { tokensPerMinute: null, moneyPerDay: null }
const limits = {
  limiter: inFlightLimiter(1),
  spending: new SpendingLimit({ limits: noLimits, priceOf: () => null, spentToday: async () => 0 }),
}

function namesFrom(environment: Environment): readonly string[] {
  return embedderConfigs(environment).map(({ vectorSpace }) => vectorSpace.name)
}

test('the first embedder is the configured one, and the bundled ones are always there', () => {
  const bundled = [...bundledEmbedders.values()].map(({ vectorSpace }) => vectorSpace.name)
  assert.deepEqual(namesFrom({}), ['words-256', ...bundled])
  const names = namesFrom({
    ...key,
    LOOMLOG_EMBEDDER: 'openai:small',
    LOOMLOG_EMBEDDER_DIMENSIONS: '64',
    LOOMLOG_MORE_EMBEDDERS: 'openai:org/large/1024, transformers:org/model/384',
  })
  assert.deepEqual(names, ['openai:small-64', 'openai:org/large-1024', 'transformers:org/model-q8', ...bundled])
})

test('an opened embedder has the vector space of its setting, with the model and its dimensions', async () => {
  const more = { ...key, LOOMLOG_MORE_EMBEDDERS: 'openai:fake-embed/64' }
  const [words, openAi] = embedderConfigs(more)
  assert.deepEqual(openAi?.vectorSpace, { name: 'openai:fake-embed-64', dimensions: 64 })
  for (const config of [words, openAi]) {
    const embedder = await config?.open(limits)
    assert.equal(embedder?.vectorSpace, config?.vectorSpace)
    await embedder?.close()
  }
})

test('every bundled embedder gives vectors of the declared size', async () => {
  for (const { vectorSpace, open } of bundledEmbedders.values()) {
    const embedder = await open(limits)
    const [vector] = await embedder.embed(['The boat is sold.'])
    assert.equal(vector?.length, vectorSpace.dimensions)
    await embedder.close()
  }
})

test('an unknown embedder is refused with the value and the expected ones', () => {
  for (const given of ['words:large', 'openai', 'openai:', 'other:model', 'constructor']) {
    const expected = { code: 'config-invalid', message: messageOf('LOOMLOG_EMBEDDER', given, 'MODEL') }
    assert.throws(() => embedderConfigs({ ...key, LOOMLOG_EMBEDDER: given }), expected)
    const message = messageOf('LOOMLOG_MORE_EMBEDDERS', given, 'MODEL/DIMENSIONS')
    assert.throws(() => embedderConfigs({ ...key, LOOMLOG_MORE_EMBEDDERS: given }), { code: 'config-invalid', message })
  }
})

test('an embedder of an earlier version is refused with the advice to remove the setting', () => {
  for (const name of ['LOOMLOG_EMBEDDER', 'LOOMLOG_MORE_EMBEDDERS']) {
    const message =
      /"use-lite": expected words, .*: remove the setting\. A memory that .* still serves, found by its words/
    assert.throws(() => embedderConfigs({ [name]: 'use-lite' }), { code: 'config-invalid', message })
  }
})

function messageOf(name: string, given: string, model: string): string {
  return `${name} is ${JSON.stringify(given)}: expected words, openai:${model} or transformers:${model}`
}

test('an embedder of a model needs its dimensions, and one behind an endpoint the key', () => {
  const model = { LOOMLOG_EMBEDDER: 'openai:small' }
  assert.throws(
    () => embedderConfigs({ ...key, ...model }),
    /^LoomlogError: LOOMLOG_EMBEDDER_DIMENSIONS is "not set": /,
  )
  const sized = { ...model, LOOMLOG_EMBEDDER_DIMENSIONS: '64' }
  assert.throws(() => embedderConfigs(sized), /LOOMLOG_API_KEY is not set, and small needs it/)
  const wrong = { ...key, LOOMLOG_MORE_EMBEDDERS: 'openai:small/many' }
  assert.throws(() => embedderConfigs(wrong), /LOOMLOG_MORE_EMBEDDERS is "many": expected a whole number/)
})
