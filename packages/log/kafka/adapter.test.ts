/** The contract suite against a real Kafka. Where there is none it is skipped, but not in CI. */
import { test } from 'node:test'
import { skipReason, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { type Adapter, contractSuite } from '../contract/suite.ts'

const adapter: Adapter = {
  opener: new URL('contract-adapter.ts', import.meta.url).href,
  async fresh() {
    const { options, stop } = await testingCluster()
    return { argument: JSON.stringify(options), remove: stop }
  },
  features: { sessionMs: 2_000, settleMs: 60_000, erases: false },
}

const skip = await skipReason()
if (skip === null) contractSuite('kafka', adapter)
else test('the Log contract, kafka', { skip })
