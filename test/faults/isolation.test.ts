/**
 * A thousand spaces of two tenants, whose names are equal when joined, on every route of the OpenAPI document: no reply
 * shows anything of another space.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { temporaryGateway } from '@loomlog/gateway/fixture'
import type { Embedder } from '@loomlog/models/embedder'
import { seededRandom, testSeed } from '../seeded-random.ts'
import { type ApiRequest, apiRequests } from './api-requests.ts'
import { collidingSpaces, plantSpaces, spacesNamedIn } from './many-spaces.ts'

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))
const pairs = 500
const count = 600
const embedder: Embedder = {
  vectorSpace: { name: 'toy-2', dimensions: 2 },
  embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
  close: async () => {},
}

/** Requests on a space that show its content: the path and the body. */
const telling: readonly (readonly [path: string, body: object | null])[] = [
  ['/recall?query=Maya+lives', null],
  ['/recall', { query: 'Maya lives' }],
  ['/context?query=Maya+lives', null],
  ['/context', {}],
  ['/tools/lexical_search', { query: 'Maya' }],
  ['/tools/exact_pattern', { pattern: 'Maya' }],
  ['/tools/inspect_document', { id: 'd0' }],
  ['/tools/browse_ids', {}],
  ['/tools/read_lines', { conversation: 'c', from: 1, to: 2 }],
  ['/memories?kind=fact', null],
  ['/memories/u0', null],
  ['/memories/f0', null],
  ['/memories/f0/why', null],
  ['/memories/u0/impact', null],
  ['/documents', null],
  ['/documents/d0', null],
  ['/profiles', null],
  ['/feed', null],
  ['/retractions', { speaker: 'Maya', by: 'Ada', dryRun: true }],
]

test('no route, tool or feed shows a row of another space, among a thousand', async (t) => {
  const seed = testSeed()
  const spaces = collidingSpaces(pairs, seededRandom(seed))
  let reading = async (): Promise<never> => assert.fail('not planted yet')
  const { app, log, codec } = await temporaryGateway(t, {
    status: async () => ({}),
    usage: async () => ({}),
    reading: () => reading(),
  })
  const views = await plantSpaces(spaces, log, codec)
  reading = async () => ({ generation: 'g1', epoch: 0, views, embedder }) as never
  /** The words in the reply that belong to this space or, on a route of the whole tenant, to its tenant. */
  const ask = async ({ method, tenant, path, mediaType, body }: Omit<ApiRequest, 'template'>) => {
    const headers = { 'x-loomlog-tenant': tenant, ...(mediaType !== null && { 'content-type': mediaType }) }
    const payload = body === null ? {} : { payload: body }
    const reply = await app.inject({ method: method as 'GET', url: path, headers, ...payload })
    const [, , , space] = /^\/v1\/spaces\/[^/?]+/.test(path) ? path.split(/[/?]/) : []
    const shown = spacesNamedIn(reply.body, spaces)
    for (const each of shown) {
      const isOwn = each.tenant === tenant && (space === undefined || each.space === decodeURIComponent(space))
      assert.ok(isOwn, `LOOMLOG_SEED=${seed}: ${tenant} ${method} ${path} ${body} shows ${JSON.stringify(each)}`)
    }
    return { shown, status: reply.statusCode, text: reply.body }
  }
  const silent = new Set<string>()
  for (const { tenant, space } of spaces.slice(0, 10)) {
    for (const [path, given] of telling) {
      const body = given && JSON.stringify(given)
      const request = { method: given === null ? 'GET' : 'POST', path: `/v1/spaces/${space}${path}`, tenant, body }
      const { shown, status, text } = await ask({ ...request, mediaType: given && 'application/json' })
      if (shown.length !== 1) silent.add(`${path}: ${status} ${text.slice(0, 200)}`)
    }
    const whole = await ask({ method: 'GET', path: '/v1/feed', tenant, mediaType: null, body: null })
    assert.equal(whole.shown.length, pairs)
    const { text } = await ask({ method: 'GET', path: '/v1/spaces?limit=500', tenant, mediaType: null, body: null })
    const names = (JSON.parse(text) as { readonly spaces: readonly { readonly space: string }[] }).spaces.map(
      (each) => each.space,
    )
    const expected = spaces.filter((each) => each.tenant === tenant).map((each) => each.space)
    assert.deepEqual(names, expected.sort())
  }
  assert.deepEqual([...silent], [], 'each shows its own content')
  const among = spaces.map(({ space }) => space)
  for (const request of apiRequests(document, { seed, count, among })) await ask(request)
  t.diagnostic(`LOOMLOG_SEED=${seed}`)
})
