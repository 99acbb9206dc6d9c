/**
 * A flow on a broker that dies, while an owner of partitions is stopped in a merge and resumed too late: nothing is
 * lost or doubled.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LocalKafka } from '@loomlog/kafka-local/kafka-local'
import type { TestingCluster } from '@loomlog/kafka-local/testing-cluster'
import { killBroker, stopEnvironment, stopPastSession } from '../faults/disturbances.ts'
import { runDisturbedFlow } from '../faults/flow.ts'
import { fixture } from '../pipeline/fixture.ts'
import { kafkaLogSettings } from './kafka-log.ts'

/** The test waits for events, which take long on a busy machine. */
const patient = { timeout: 600_000 }

/** @param cluster with a broker that the test kills and starts again */
export function testBrokerDeath(
  cluster: () => { readonly options: TestingCluster['options']; readonly broker: LocalKafka },
): void {
  test(
    'nothing is lost or doubled when an owner is stopped in a merge and resumed, and the broker is killed',
    patient,
    async (t) => {
      const { options, broker } = cluster()
      const made = await fixture(t, 1, { LOOMLOG_PARTITIONS: '1' })
      const stop = { point: 'view.before-merge', pass: 3 } as const
      const { log, sessionMs } = kafkaLogSettings({ ...options, brokers: broker.brokers }, 'disturbed')
      const sizes = { instances: 2, atStart: [stopEnvironment(stop)], writers: 2, everyMs: 300 }
      const say = (what: string) => t.diagnostic(what)
      const result = await runDisturbedFlow({ ...sizes, log, environment: made.environment, say }, async (flow) => {
        await stopPastSession(flow, stop, sessionMs)
        await killBroker(broker, 1, 500)
        flow.say('the broker was killed, and is back')
      })
      assert.deepEqual(result.findings, [])
      assert.ok(result.attempts.acknowledged > 10)
    },
  )
}
