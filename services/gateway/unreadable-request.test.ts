import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import Fastify from 'fastify'
import { refuseUnreadable } from './unreadable-request.ts'

test('an unreadable request gets problem details; for a query that is too long for a line they say how to send it', async (t) => {
  const app = Fastify({ clientErrorHandler: refuseUnreadable })
  t.after(() => app.close())
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const answers = async (text: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(text)
    const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n')
    assert.match(head, /content-type: application\/problem\+json/i)
    return JSON.parse(body) as { readonly status: number; readonly detail: string }
  }
  const long = await answers(`GET /v1/spaces/home/recall?query=${'x'.repeat(100_000)} HTTP/1.1\r\nHost: h\r\n\r\n`)
  assert.deepEqual([long.status, /body of a POST/.test(long.detail)], [431, true])
  assert.equal((await answers('no HTTP\r\n\r\n')).status, 400)
})

test('a request that does not arrive in time is 408, not 400', async (t) => {
  const slow = Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const server = createServer((socket) => refuseUnreadable(slow, socket)).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const answer = await textOf(connect((server.address() as AddressInfo).port, '127.0.0.1'))
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
})
