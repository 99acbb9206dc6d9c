import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { temporaryGateway } from './fixture.ts'

/** The status and the problem that a socket gets for this text. */
async function replyTo(port: number, request: string | Buffer) {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
  if (status >= 400) {
    assert.match(head, /content-type: application\/problem\+json/i, head)
    assert.equal(JSON.parse(body).status, status)
  }
  return { status, body }
}

async function listening(t: TestContext, options: Parameters<typeof temporaryGateway>[1] = {}) {
  const { app } = await temporaryGateway(t, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const get = (path: string, headers: readonly string[]) =>
    replyTo(
      port,
      Buffer.from(`GET ${path} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`, 'latin1'),
    )
  return { app, port, get }
}

test('a request without a host, or with an expectation that is unknown, gets problem details', async (t) => {
  const { port, get } = await listening(t)
  assert.equal((await get('/healthz', [])).status, 400)
  assert.equal((await get('/healthz', ['Host: localhost', 'Expect: a miracle'])).status, 417)
  assert.equal((await replyTo(port, 'GET /healthz HTTP/1.0\r\n\r\n')).status, 200)
})

test('a page in a browser reaches no memory: neither by a host name of its own nor from another site', async (t) => {
  const { port, get } = await listening(t, { hostNames: ['memory.example'] })
  const statusOf = async (...headers: string[]) => (await get('/healthz', headers)).status
  for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:80', 'MEMORY.example:443']) {
    assert.equal(await statusOf(`Host: ${host}`), 200, host)
  }
  for (const host of ['evil.example', `rebound.example:${port}`, '127.0.0.1.evil.example']) {
    assert.equal(await statusOf(`Host: ${host}`), 421, host)
  }
  assert.equal(await statusOf('Host: a/b'), 400)
  assert.equal(await statusOf('Host: localhost', 'Origin: https://evil.example'), 403)
  assert.equal(await statusOf('Host: localhost', 'Origin: null'), 403)
  assert.equal(await statusOf('Host: localhost', 'Sec-Fetch-Site: cross-site'), 403)
  assert.equal(await statusOf('Host: localhost:7', 'Origin: http://localhost:7', 'Sec-Fetch-Site: same-origin'), 200)
})

test('a tenant, a path or a query in an ambiguous encoding is refused', async (t) => {
  const { get } = await listening(t)
  const path = '/v1/spaces/home/recall?query=zebra'
  const host = 'Host: localhost'
  assert.equal((await get(path, [host, 'x-loomlog-tenant: acme'])).status, 200)
  assert.equal((await get(path, [host, 'x-loomlog-tenant: Zo\u00eb'])).status, 400)
  assert.equal((await get(path, [host, 'x-loomlog-tenant: Zo%C3%AB'])).status, 200)
  for (const tenant of ['Zo%EB', '%', '100%', 'a%2Fb', 'a%00'])
    assert.equal((await get(path, [host, `x-loomlog-tenant: ${tenant}`])).status, 400, tenant)
  assert.equal((await get(path, [host, 'x-loomlog-tenant: a', 'X-Loomlog-Tenant: b'])).status, 400)
  assert.equal((await get(`${path}%FF`, [host])).status, 400)
  assert.equal((await get('/v1/spaces/%FF/recall?query=zebra', [host])).status, 400)
  assert.equal((await get('/v1/spaces/Zo\u00eb/recall?query=zebra', [host])).status, 400)
  assert.equal((await get('/v1/spaces/Zo%C3%AB/recall?query=100%', [host])).status, 200)
})

test('an incomplete body is 408, and its connection is closed', async (t) => {
  const { port } = await listening(t, { limits: { requestMs: 300 } })
  const head = 'POST /v1/spaces/home/utterances HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const { status } = await replyTo(port, `${head}Content-Length: 1000\r\n\r\n{"text":`)
  assert.equal(status, 408)
})

test('a name may have 256 characters of any script; the refusal of a longer one gives this limit', async (t) => {
  const { app } = await temporaryGateway(t)
  const asked = (space: string) => app.inject(`/v1/spaces/${encodeURIComponent(space)}/recall?query=zebra`)
  assert.equal((await asked('\u{1f993}'.repeat(128))).statusCode, 200)
  assert.equal((await asked('x'.repeat(256))).statusCode, 200)
  const long = await asked('x'.repeat(257))
  assert.deepEqual(
    [long.statusCode, /^space is "x+…: expected 1 to 256 characters/.test(long.json().detail)],
    [400, true],
  )
})

test('a body that is not UTF-8, or nests too deep, is refused; as deep as it may nest it is read', async (t) => {
  const { app } = await temporaryGateway(t)
  const post = (payload: Buffer | string) =>
    app.inject({
      method: 'POST',
      url: '/v1/spaces/home/recall',
      headers: { 'content-type': 'application/json' },
      payload,
    })
  const latin1 = await post(Buffer.from('{"query":"caf\u00e9"}', 'latin1'))
  assert.deepEqual([latin1.statusCode, latin1.json().detail], [400, 'the body is not UTF-8'])
  const nested = (depth: number) => `{"query":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  assert.match((await post(nested(64))).json().detail, /^query is \[\[/)
  for (const depth of [65, 5_000, 400_000]) {
    assert.deepEqual((await post(nested(depth))).json().detail, 'the body nests deeper than 64 arrays and objects')
  }
  assert.equal((await post('{"query":"[[[[ \\" [[[[ zebra"}')).statusCode, 200)
})

test('a filter takes 100 values, and refuses more', async (t) => {
  const { app } = await temporaryGateway(t)
  const ask = (payload: object) => app.inject({ method: 'POST', url: '/v1/spaces/home/recall', payload })
  const values = (count: number) => Array.from({ length: count }, (_, n) => `name ${n}`)
  for (const filter of ['speaker', 'conversation'] as const) {
    assert.equal((await ask({ query: 'zebra', [filter]: values(100) })).statusCode, 200, filter)
    const refused = await ask({ query: 'zebra', [filter]: values(60_000) })
    assert.deepEqual(
      [refused.statusCode, refused.json().detail],
      [400, `${filter} has 60000 values: expected at most 100`],
    )
  }
})
