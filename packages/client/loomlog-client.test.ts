/** Addresses, headers, problems and lists; and servers that are not loomlog, or whose replies break off. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { brokenOff, fakeServer, json } from './fake-server.ts'
import { LoomlogClient } from './loomlog-client.ts'

const requests: readonly ((client: LoomlogClient) => Promise<unknown>)[] = [
  (client) => client.get('/v1/spaces'),
  (client) => client.post('/v1/spaces'),
  (client) => client.delete('/v1/spaces'),
  (client) => client.feed('/v1/feed', {}),
]

for (const [status, type, body] of [
  [200, 'text/html', '<html>hello</html>'],
  [200, 'application/json', '{ "cut'],
  [200, 'application/json', ''],
  [404, 'text/html', '<html>not here</html>'],
  [404, 'application/json', 'null'],
] as const) {
  test(`a reply ${status} ${type} ${JSON.stringify(body)} of another program is input-invalid`, async (t) => {
    const { client } = await fakeServer(t, [
      (response) => response.writeHead(status, { 'content-type': type }).end(body),
    ])
    for (const request of requests) {
      await assert.rejects(
        request(client),
        (error) =>
          isLoomlogError(error, 'input-invalid') &&
          error.message.includes(`no address of loomlog: it answers ${status}`),
      )
    }
  })
}

test('a failure of another program, such as of a proxy, is server-unavailable', async (t) => {
  const { client } = await fakeServer(t, [(response) => response.writeHead(500).end('<html>sorry</html>')])
  await assert.rejects(
    client.get('/v1/spaces'),
    (error) => isLoomlogError(error, 'server-unavailable') && error.message.includes('it answers 500 <html>sorry'),
  )
})

test('a reply that breaks off is server-unavailable, also if it was a problem', async (t) => {
  for (const status of [200, 503]) {
    const { client } = await fakeServer(t, [(response) => brokenOff(response, status)])
    await assert.rejects(client.post('/x'), (error) => isLoomlogError(error, 'server-unavailable'))
  }
})

test('the address keeps its path, and the headers name the key and the tenant', async (t) => {
  const { url, sent } = await fakeServer(t, [json({})])
  await new LoomlogClient({ url: `${url}/memory/`, key: 'k', tenant: 'é' }).get('/v1/spaces', { q: ['a b', 'c'] })
  await new LoomlogClient({ url, key: null }).get('/v1/spaces')
  const [request, open] = sent.map(({ path, headers }) => [path, headers.authorization, headers['x-loomlog-tenant']])
  assert.deepEqual(request, ['/memory/v1/spaces?q=a+b&q=c', 'Bearer k', '%C3%A9'])
  assert.deepEqual(open, ['/v1/spaces', undefined, undefined])
  for (const wrong of ['loomlog', 'ftp://loomlog', ''])
    assert.throws(
      () => new LoomlogClient({ url: wrong }),
      (error) => isLoomlogError(error, 'input-invalid'),
    )
})

test('a password in the URL, and a key that no header holds, are refused without being shown', () => {
  for (const options of [
    { url: 'http://maya:s3cret@127.0.0.1:7070' },
    { url: 'http://127.0.0.1:7070', key: 's3cret\n' },
    { url: 'http://127.0.0.1:7070', key: 's3crét' },
  ])
    assert.throws(
      () => new LoomlogClient(options),
      (error) => isLoomlogError(error, 'input-invalid') && !/s3cr/.test(error.message),
    )
})

test('a problem keeps its code, its status and its faults', async (t) => {
  const errors = [{ pointer: '/0/text', detail: 'text is missing' }]
  const { client } = await fakeServer(t, [
    json({ type: 'urn:loomlog:problem:input-invalid', detail: 'text is missing', errors }, 400),
    json({ type: 'urn:loomlog:problem:of-a-later-version', detail: 'later' }, 409),
    json({ type: 'about:blank', detail: 'see the log of the server' }, 500),
  ])
  const failed = async () => (await client.post('/x').catch((error: unknown) => error)) as Error
  const first = await failed()
  assert.ok(isLoomlogError(first, 'input-invalid'))
  assert.deepEqual([first.status, first.errors, first.message], [400, errors, 'text is missing'])
  assert.ok(isLoomlogError(await failed(), 'input-invalid'))
  assert.ok(isLoomlogError(await failed(), 'server-unavailable'))
})

test('a list is read page by page, to its end', async (t) => {
  const { client, sent } = await fakeServer(t, [
    json({ webhooks: [1, 2], next: 'a b', epoch: 7 }),
    json({ webhooks: [3], next: null, epoch: 8 }),
  ])
  const { items, epoch } = await client.list<number, { readonly epoch: number }>('/v1/webhooks', 'webhooks')
  assert.deepEqual([items, epoch], [[1, 2, 3], 7])
  assert.deepEqual(
    sent.map(({ path }) => path),
    ['/v1/webhooks?limit=500', '/v1/webhooks?limit=500&cursor=a+b'],
  )
})
