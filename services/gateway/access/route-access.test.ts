/** Requests to every route: with every scope, without a key, for another tenant and for another space. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { anyAuthor, type Caller, openAccess } from '@loomlog/access/caller'
import { type Scope, scopes } from '@loomlog/access/scopes'
import { LoomlogError } from '@loomlog/errors'
import { temporaryGateway } from '../fixture.ts'
import { type DeclaredRoute, routesOf } from './route-access.ts'

const callers: Readonly<Record<string, Caller>> = {
  operator: callerWith(scopes, { tenant: null }),
  ...Object.fromEntries(scopes.map((scope) => [scope, callerWith([scope], {})])),
  ...Object.fromEntries(scopes.map((scope) => [`any tenant: ${scope}`, callerWith([scope], { tenant: null })])),
  'other white space': callerWith(scopes, { tenant: 'acme ' }),
  'not in NFC': callerWith(scopes, { tenant: 'Jose\u0301' }),
  narrowed: callerWith(scopes, { spaces: new Set(['home']) }),
}

function callerWith(allowed: readonly Scope[], options: Partial<Caller>): Caller {
  return {
    name: 'key:k1',
    tenant: 'acme',
    scopes: new Set(allowed),
    spaces: null,
    authors: anyAuthor,
    credential: { kind: 'key', id: 'k1' },
    ...options,
  }
}

async function guardedGateway(t: TestContext) {
  const { app } = await temporaryGateway(t, {
    access: {
      ...openAccess,
      isOpen: false,
      async authenticate(authorization = '') {
        const caller = callers[authorization]
        if (caller === undefined) throw new LoomlogError('unauthenticated', 'there is no key')
        return caller
      },
    },
  })
  await app.ready()
  const answerOf = ({ method, url }: DeclaredRoute, headers: Record<string, string>, space = 'home') => {
    const path = url.replace(':space', space).replaceAll(/:\w+/g, 'x')
    const isWrite = !['GET', 'HEAD', 'DELETE'].includes(method)
    const body = isWrite ? { payload: '{}', headers: { ...headers, 'content-type': 'application/json' } } : { headers }
    return app.inject({ method: method as 'GET', url: path, ...body })
  }
  const statusOf = async (...request: Parameters<typeof answerOf>) => (await answerOf(...request)).statusCode
  return { app, routes: routesOf(app), answerOf, statusOf }
}

/** It shows nothing of a tenant. */
const isOfAnyKey = (scope: DeclaredRoute['scope']) => scope === 'open' || scope === 'any'
const ofTenant = ({ scope }: DeclaredRoute) => !isOfAnyKey(scope) && scope !== 'operate'
const isRefused = (status: number) => status === 401 || status === 403

test('every route answers only callers with its scope, and without a key only the open routes answer', async (t) => {
  const { routes, statusOf } = await guardedGateway(t)
  assert.ok(routes.length > 15, 'HEAD routes are there as well')
  for (const route of routes) {
    const name = `${route.method} ${route.url}`
    assert.equal(await statusOf(route, {}), route.scope === 'open' ? 200 : 401, name)
    if (route.scope === 'open') continue
    for (const scope of scopes) {
      const isAllowed: boolean = route.scope === scope || route.scope === 'any'
      assert.equal(isRefused(await statusOf(route, { authorization: scope })), !isAllowed, `${name} with ${scope}`)
      const operates: boolean = route.scope === 'operate' && scope === 'administer'
      const status = await statusOf(route, { authorization: `any tenant: ${scope}`, 'x-loomlog-tenant': 'acme' })
      assert.equal(isRefused(status), !(isAllowed || operates), `${name} with ${scope} for every tenant`)
    }
    assert.ok(!isRefused(await statusOf(route, { authorization: 'operator', 'x-loomlog-tenant': 'acme' })), name)
  }
})

test('no route answers a key for another tenant', async (t) => {
  const { routes, statusOf } = await guardedGateway(t)
  for (const route of routes.filter(ofTenant)) {
    const authorization = route.scope
    for (const tenant of ['other', 'acm', 'acme%20', 'ACME'])
      assert.equal(await statusOf(route, { authorization, 'x-loomlog-tenant': tenant }), 403, `${route.url} ${tenant}`)
    assert.ok(!isRefused(await statusOf(route, { authorization, 'x-loomlog-tenant': 'acme' })), route.url)
  }
})

test('a key for every tenant that names none is refused by every route of a tenant, which names the header', async (t) => {
  const { app, routes, answerOf } = await guardedGateway(t)
  const headers = { authorization: 'operator' }
  for (const route of routes.filter(({ scope, method }) => !isOfAnyKey(scope) && method !== 'HEAD')) {
    const { statusCode, body } = await answerOf(route, headers)
    const isRefusal = statusCode === 400 && body.includes('x-loomlog-tenant is missing')
    assert.equal(isRefusal, route.scope !== 'operate', `${route.method} ${route.url}: ${statusCode} ${body}`)
  }
  const payload = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'A zebra.' }
  const append = (more: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/v1/spaces/home/utterances', payload, headers: { ...headers, ...more } })
  const refused = await append({})
  assert.match(refused.json().detail, /^x-loomlog-tenant is missing: expected the name of a tenant/)
  assert.equal(refused.json().type, 'urn:loomlog:problem:input-invalid')
  assert.equal((await append({ 'x-loomlog-tenant': '' })).statusCode, 400)
  for (const tenant of ['acme', 'default'])
    assert.equal((await append({ 'x-loomlog-tenant': tenant })).json().appended, 1, `${tenant} has no utterance before`)
})

test('a key for some spaces reaches only these, also if a query names others', async (t) => {
  const { app, routes, statusOf } = await guardedGateway(t)
  const headers = { authorization: 'narrowed' }
  for (const route of routes.filter(({ scope }) => !isOfAnyKey(scope))) {
    if (route.url.includes(':space')) {
      assert.ok(!isRefused(await statusOf(route, headers)), route.url)
      for (const space of ['work', 'home2', 'hom', 'Home', 'home%2Fa'])
        assert.equal(await statusOf(route, headers, space), 403, `${route.url} ${space}`)
    } else assert.equal(await statusOf(route, headers), 403, route.url)
  }
  const also = (space: string) => app.inject({ url: `/v1/spaces/home/recall?query=x&also=${space}`, headers })
  assert.deepEqual([(await also('home')).statusCode, (await also('work')).statusCode], [200, 403])
})

test('a route without a scope can not be registered', async (t) => {
  const { app } = await temporaryGateway(t)
  assert.throws(() => app.get('/undeclared', async () => ({})), /GET \/undeclared declares no scope/)
})

test('a key whose tenant is not written as names are stored reaches no other tenant, and the refusal says why', async (t) => {
  const { routes, answerOf } = await guardedGateway(t)
  for (const route of routes.filter((each) => ofTenant(each) && each.scope !== 'subscribe')) {
    for (const authorization of ['other white space', 'not in NFC']) {
      const { statusCode, body } = await answerOf(route, { authorization })
      assert.equal(statusCode, 403, `${route.method} ${route.url}`)
      if (route.method !== 'HEAD')
        assert.match(JSON.parse(body).detail, /no name as names are stored: .* create a new key/)
    }
  }
})
