/** The outcome of a request to a receiver that misbehaves below HTTP. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { AddressRule } from '@loomlog/feed/address-rule'
import { withinSeconds } from '../../test/within-seconds.ts'
import { DeliveryRequests } from './delivery-request.ts'
import { defaultWebhookLimits as limits } from './webhook-limits.ts'

/** The outcome of a request that gets these bytes as its answer; then the connection ends. */
async function outcomeOf(t: TestContext, answer: string) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const requests = new DeliveryRequests({ rule: new AddressRule(['127.0.0.0/8']), limits })
  t.after(() => {
    requests.close()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  const delivery = { url: `http://127.0.0.1:${port}/`, secret, id: 'e', body: '{}', at: 0 }
  const posted = requests.post(delivery, new AbortController().signal)
  return await withinSeconds(posted, `an outcome of a delivery that is answered with ${JSON.stringify(answer)}`)
}

const ended = { kind: 'failed', reason: 'the connection ended without an answer', retryAfterMs: null }

test('a receiver that switches protocols fails at once', async (t) => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
  assert.deepEqual(await outcomeOf(t, head), ended)
  assert.deepEqual(await outcomeOf(t, `${head}HTTP/1.1 204 No Content\r\n\r\n`), ended)
})

test('a receiver that answers with no HTTP, or not at all, fails at once', async (t) => {
  for (const answer of [
    '',
    'SSH-2.0-x\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
  ])
    assert.equal((await outcomeOf(t, answer)).kind, 'failed', answer)
})
