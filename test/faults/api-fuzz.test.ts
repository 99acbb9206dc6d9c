import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { temporaryGateway } from '@loomlog/gateway/fixture'
import { testSeed } from '../seeded-random.ts'
import { apiRequests } from './api-requests.ts'
import { fuzzApi, plantCanaries, type Send } from './api-run.ts'

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))

test('requests generated from the OpenAPI document get the declared replies, and show nothing of another tenant', async (t) => {
  const seed = testSeed()
  const { app } = await temporaryGateway(t, { status: async () => statusWithoutStages, usage: async () => noUsage })
  const send: Send = async ({ method, path, tenant, mediaType, body }) => {
    const headers = { 'x-loomlog-tenant': tenant, ...(mediaType !== null && { 'content-type': mediaType }) }
    const reply = await app.inject({
      method: method as 'GET',
      url: path,
      headers,
      ...(body !== null && { payload: body }),
    })
    return { status: reply.statusCode, headers: reply.headers, body: reply.body }
  }
  await plantCanaries(send)
  const { statuses, succeeded, broken } = await fuzzApi(apiRequests(document, { seed, count: 600 }), document, send)
  t.diagnostic(`LOOMLOG_SEED=${seed} ${JSON.stringify(statuses)}, ${succeeded} operations succeeded`)
  assert.deepEqual(broken, [], `LOOMLOG_SEED=${seed}`)
  assert.ok(succeeded >= 10, `${succeeded}`)
})

const statusWithoutStages = {
  generation: null,
  epoch: 0,
  beside: [],
  stages: [],
  views: [],
  parked: 0,
  parkedByCode: {},
  usage: {},
  bytes: { log: 0, views: 0 },
}

const nothing = { asks: 0, calls: 0, repairs: 0, inputTokens: 0, outputTokens: 0, money: 0 }
const noUsage = { total: nothing, today: nothing, accounts: [], days: [], isComplete: true }
