/** The client against servers that are not loomlog, or whose replies break off. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { LoomlogClient } from './loomlog-client.ts'

async function clientOf(t: TestContext, listener: RequestListener): Promise<LoomlogClient> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return new LoomlogClient({ url: `http://127.0.0.1:${port}`, key: null, tenant: null })
}

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
    const client = await clientOf(t, (_, response) => response.writeHead(status, { 'content-type': type }).end(body))
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

test('a reply that breaks off is server-unavailable, also if it was a problem', async (t) => {
  for (const status of [200, 503]) {
    const client = await clientOf(t, (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': '100' }).write('{"some":')
      setTimeout(() => response.destroy(), 20)
    })
    for (const request of requests)
      await assert.rejects(request(client), (error) => isLoomlogError(error, 'server-unavailable'))
  }
})

test('a feed without a message is empty, and its next offset is kept', async (t) => {
  const client = await clientOf(t, (_, response) => response.writeHead(204, { 'stream-next-offset': '7' }).end())
  assert.deepEqual(await client.feed('/v1/feed', {}), { events: [], next: '7' })
})

test('a list is read page by page, to its end', async (t) => {
  const asked: string[] = []
  const pages: Readonly<Record<string, object>> = {
    '/v1/webhooks?limit=500': { webhooks: [1, 2], next: 'a b', epoch: 7 },
    '/v1/webhooks?limit=500&cursor=a+b': { webhooks: [3], next: null, epoch: 8 },
  }
  const client = await clientOf(t, ({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(pages[url]))
  })
  const { items, epoch } = await client.list<number, { readonly epoch: number }>('/v1/webhooks', 'webhooks')
  assert.deepEqual([items, epoch, asked], [[1, 2, 3], 7, Object.keys(pages)])
})
