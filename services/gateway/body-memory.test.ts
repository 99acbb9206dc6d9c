/** The limit of bodies in memory, over sockets: slow senders with one key leave room for other callers. */
import assert from 'node:assert/strict'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { localCaller, openAccess } from '@loomlog/access/caller'
import { LoomlogError } from '@loomlog/errors'
import { until } from '../../test/within-seconds.ts'
import { temporaryGateway } from './fixture.ts'
import { maxBodyBytes, maxBodyBytesInFlight } from './limits.ts'

const path = '/v1/spaces/home/utterances'
const body = JSON.stringify({ conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'A zebra.' })

test('slow senders with one key keep three quarters of the memory of bodies, and other callers have the rest', async (t) => {
  const { app } = await temporaryGateway(t, {
    access: {
      ...openAccess,
      isOpen: false,
      async authenticate(authorization = '') {
        const [, name] = /^Bearer (\w+)$/.exec(authorization) ?? []
        if (name === undefined) throw new LoomlogError('unauthenticated', 'there is no key')
        return { ...localCaller, name }
      },
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  /** A chunked request without the end of its body. @returns its reply, if it has one before that */
  const slow = (caller: string, n: number) => {
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    const key = caller === '' ? '' : `Authorization: Bearer ${caller}\r\n`
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${key}X-Loomlog-Tenant: t${n}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`)
    return socket
  }
  const post = async (caller: string) =>
    (
      await app.inject({
        method: 'POST',
        url: path,
        headers: { authorization: `Bearer ${caller}`, 'x-loomlog-tenant': 't', 'content-type': 'application/json' },
        payload: body,
      })
    ).statusCode
  const most = maxBodyBytesInFlight / maxBodyBytes
  const ofCaller = 48_000_000 / maxBodyBytes
  const keyless = Array.from({ length: most }, (_, n) => slow('', n))
  for (const socket of keyless) assert.equal(await statusOf(socket), 401)
  const slowly = Array.from({ length: most }, (_, n) => slow('slow', n))
  const refusals: number[] = []
  for (const socket of slowly) statusOf(socket).then((status) => refusals.push(status))
  // Only a refusal comes before the end of a body.
  await until(() => refusals.length >= most - ofCaller, `${most - ofCaller} bodies of one caller are refused`)
  assert.deepEqual(new Set(refusals), new Set([503]))
  assert.deepEqual([await post('slow'), await post('other')], [503, 201])
  for (const socket of slowly) socket.destroy()
  await until(async () => (await post('slow')) !== 503, 'bodies that were cut off leave their memory to others')
})

function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) =>
    socket.once('data', (head) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))?.[1]))),
  )
}
