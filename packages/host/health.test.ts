/** Metrics on the health port. */
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { type TestContext, test } from 'node:test'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import { Conditions } from './conditions.ts'
import { startHealth } from './health.ts'
import { isLoopback } from './loopback.ts'

async function health(t: TestContext, metrics: 'local' | 'open'): Promise<number> {
  const [port = 0] = await freePorts(1)
  const { close } = await startHealth(
    { LOOMLOG_HEALTH_PORT: String(port), LOOMLOG_METRICS: metrics },
    {
      readyFor: 'derives nothing',
      notReady: () => null,
      notAlive: () => null,
      conditions: new Conditions({ info() {}, warn() {}, debug() {} }),
      registry: {
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
        metrics: async () => 'loomlog_asks_total 1\n',
      },
    },
  )
  t.after(close)
  return port
}

/** An address of this machine that others reach; null: it has none. */
const outer = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)

test('metrics are shown to this machine only, unless they are open', async (t) => {
  for (const metrics of ['local', 'open'] as const) {
    const port = await health(t, metrics)
    const local = await fetch(`http://127.0.0.1:${port}/metrics`)
    assert.deepEqual([local.status, await local.text()], [200, 'loomlog_asks_total 1\n'])
    if (!outer) continue
    const { status } = await fetch(`http://${outer.address}:${port}/metrics`)
    assert.equal(status, metrics === 'open' ? 200 : 403)
  }
})

test('an address is of loopback in either notation', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', 'localhost'])
    assert.ok(isLoopback(address))
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '0.0.0.0', '::', '', '127.example', 'localhost.example'])
    assert.ok(!isLoopback(address), address)
})
