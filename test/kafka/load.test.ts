/** Short versions of the loads in `npm run bench -- load`, with the same promises. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import { measureHotSpace } from '../bench/load/hot-space.ts'
import { measureManySpaces } from '../bench/load/many-spaces.ts'
import { measureRestore } from '../bench/load/restore.ts'
import { measureSlowModel } from '../bench/load/slow-model.ts'
import { type Cluster, startCluster } from '../bench/load/world.ts'

const skip = (await skipReason()) ?? false
/** Brokers allow no shorter session by default. */
const sessionMs = process.env.LOOMLOG_TEST_BROKERS ? 6_000 : 2_000

describe('under load', { skip, concurrency: 1 }, () => {
  let cluster: Cluster
  before(async () => {
    cluster = await startCluster()
  })
  after(() => cluster.stop())

  test('a model that answers after more than a session costs no lease, and gets each ask once', async () => {
    const result = await measureSlowModel(cluster, { modelMs: 2.5 * sessionMs, sessionMs })
    const { asks, leases, outputs, errors } = result
    assert.deepEqual({ asks, leases, outputs, errors }, { asks: 4, leases: result.partitions, outputs: 4, errors: 0 })
  })

  test('a space with a slow model holds up no other, regardless of its waiting records, and all allowed calls are used', async () => {
    const amount = { spaces: 40, utterancesOfASpace: 3, modelMs: 300, maxConcurrent: 12 }
    const result = await measureManySpaces(cluster, { ...amount, slow: { modelMs: 60_000, conversations: 2_000 } })
    assert.equal(result.errors, 0)
    assert.equal(result.slowOutputs, 0, 'the slow one is still waiting for its first answer')
    assert.equal(result.asks, 40 * 3, 'no ask is repeated')
    // The bench measures on a quiet machine; here other tests run, too. If the slow space held up the others, the share
    // would be below 0.06.
    assert.ok(result.shareOfAllowed > 0.15, `${result.shareOfAllowed} of what the limit allows`)
  })

  test('the lag of a hot space with many conversations does not grow', async () => {
    const pace = { utterancesPerSecond: 50, seconds: 3, conversations: 50 }
    const { mostLag, errors } = await measureHotSpace(cluster, { ...pace, modelMs: 100, maxConcurrent: 32 })
    assert.equal(errors, 0)
    assert.ok(Math.max(...mostLag) < pace.utterancesPerSecond * pace.seconds * 0.75, `${mostLag} were waiting`)
  })

  test('state is restored whole, with its local copy and without', async () => {
    const { withCopyMs, withoutCopyMs } = await measureRestore(cluster, 3_000)
    assert.ok(withCopyMs > 0 && withoutCopyMs > 0)
  })
})
