/** The pipeline on Kafka makes the same memory as on the embedded log, undisturbed or killed in the middle of its commits. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startLocalKafka } from '@loomlog/kafka-local/kafka-local'
import { type TestingCluster, testingCluster, whyNoLocalKafka, whySkipped } from '@loomlog/kafka-local/testing-cluster'
import { armedWith, killedFor, resumedTooLate } from '../faults/disturbances.ts'
import { disturbedFlow } from '../faults/flow.ts'
import { derived, fixture, ingestArgs } from '../pipeline/fixture.ts'
import { dieAt } from '../pipeline/killed-ingest.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { logOf, onKafka } from './on-kafka.ts'

const skip = (await whySkipped()) ?? false
/** Past the leases that are taken at the start, so that what dies is a commit with outputs, state and a position. */
const pass = 12

/** It waits for what happens, not for a time, and on a busy machine that takes long. */
const patient = { timeout: 600_000 }

describe('the pipeline on Kafka', { skip, ...patient }, () => {
  let cluster: TestingCluster
  before(async () => {
    cluster = await testingCluster()
  })
  after(() => cluster.stop())

  test('gives the dump of the embedded log, also when it is killed within three commits, one after the other', async (t) => {
    const made = await fixture(t, 30, { LOOMLOG_PARTITIONS: '1' })
    const embedded = await derived(made, join(made.dir, 'embedded'))
    assert.equal(await derived(onKafka(made, cluster, 'same'), join(made.dir, 'same')), embedded)
    const killed = onKafka(made, cluster, 'killed')
    const dir = join(made.dir, 'killed')
    const ingest = { args: ingestArgs(made, dir), environment: killed.environment }
    for (const point of ['commit.before-position', 'commit.before-end', 'commit.after-end'] as const) {
      await dieAt(point, pass, ingest)
    }
    assert.equal(await derived(killed, dir), embedded)
  })

  test('gives that dump from a copy of the embedded log, without calling a model', async (t) => {
    const made = await fixture(t, 12, { LOOMLOG_EMBEDDER: 'words' })
    const dir = join(made.dir, 'embedded')
    const embedded = await derived(made, dir)
    const copied = onKafka(made, cluster, 'copied')
    const to = `kafka:${cluster.options.brokers.join(',')}`
    const copy = await loomlog(['log', 'copy', '--from', `sqlite:${dir}`, '--to', to], copied.environment)
    assert.equal(copy.code, 0, copy.stderr)
    made.endpoint.reset()
    made.endpoint.setMode('forbid')
    assert.equal(await derived(copied, join(made.dir, 'kafka')), embedded)
    assert.equal(made.endpoint.calls().total, 0)
  })

  test(
    'loses and doubles nothing when an owner is stopped in a merge and resumed, and the broker dies',
    patient,
    async (t) => {
      const noBroker = await whyNoLocalKafka()
      if (noBroker !== null) return t.skip(noBroker)
      const local = await startLocalKafka({ registryUrl: cluster.options.registry.url })
      t.after(() => local.stop())
      const made = await fixture(t, 1, { LOOMLOG_PARTITIONS: '1' })
      const stop = { point: 'view.before-merge', pass: 3 } as const
      const { log, sessionMs } = logOf({ ...cluster.options, brokers: local.brokers }, 'disturbed')
      const sizes = { instances: 2, atStart: [armedWith(stop)], writers: 2, everyMs: 300 }
      const say = (what: string) => t.diagnostic(what)
      const result = await disturbedFlow({ ...sizes, log, environment: made.environment, say }, async (flow) => {
        await resumedTooLate(flow, stop, sessionMs)
        await killedFor(local, 1, 500)
        flow.say('the broker was killed, and is back')
      })
      assert.deepEqual(result.findings, [])
      assert.ok(result.attempts.acknowledged > 10)
    },
  )
})
