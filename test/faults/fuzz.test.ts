import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { temporaryGateway } from '@loomlog/gateway/fixture'
import { seededRandom, testSeed } from '../seeded-random.ts'
import { fuzz } from './fuzz-run.ts'

test('fuzzed requests are answered below 500, or with 503 and Retry-After', async (t) => {
  const seed = testSeed()
  const { app } = await temporaryGateway(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const { statuses, broken } = await fuzz(port, { count: 400, random: seededRandom(seed) })
  t.diagnostic(`LOOMLOG_SEED=${seed} ${JSON.stringify(statuses)}`)
  assert.deepEqual(broken, [], `LOOMLOG_SEED=${seed}`)
  assert.ok((statuses['200'] ?? 0) > 20 && (statuses['201'] ?? 0) > 10, JSON.stringify(statuses))
})
