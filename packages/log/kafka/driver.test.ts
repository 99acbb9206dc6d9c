import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test/within-seconds.ts'
import { connectTo } from './driver.ts'

const require = createRequire(import.meta.url)

test('no connection is retried once the cluster is closed: that would keep the process alive for half a minute', async (t) => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { cluster } = connectTo([`127.0.0.1:${(server.address() as AddressInfo).port}`], 'test', {})
  const refusing = cluster()
  const refused = assert.rejects(refusing.connect())
  await until(() => connections >= 3, 'a refused connection is tried again')
  await refusing.disconnect()
  const atClose = connections
  await refused
  assert.ok(connections <= atClose + 1, `${connections - atClose} connections after the close`)
})

test('kafkajs sets no timer in the past, of which Node would warn, and sends a throttled request later', async (t) => {
  const warnings: string[] = []
  const listen = ({ name }: Error) => warnings.push(name)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  const RequestQueue = require('kafkajs/src/network/requestQueue')
  const logger = { debug() {} }
  const queue = new RequestQueue({ maxInFlightRequests: null, requestTimeout: 1, clientId: '', broker: '', logger })
  queue.scheduleCheckPendingRequests()
  queue.maybeThrottle(5)
  await new Promise<void>((resolve) =>
    queue.push({ entry: { correlationId: 1 }, expectResponse: true, sendRequest: resolve }),
  )
  queue.checkPendingRequests()
  await sleep(5)
  queue.destroy()
  assert.deepEqual(warnings, [])
})
