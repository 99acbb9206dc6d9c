/**
 * The feed on Kafka: each event once, through kills and a promotion; a plain client reads it with the headers of
 * CloudEvents.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipReason, type TestingCluster, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { Kafka, logLevel } from 'kafkajs'
import { eventually } from '../eventually.ts'
import { type Fixture, fixture, ingestArgs } from '../pipeline/fixture.ts'
import { assertFeedEqualsViews, publishUnderKills, readFeed } from '../pipeline/killed-publisher.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { withKafkaLog } from './kafka-log.ts'

const skip = (await skipReason()) ?? false

test('a killed publisher publishes each event once, and a consumer group of a plain client reads it', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const cluster = await testingCluster()
  t.after(() => cluster.stop())
  const made = withKafkaLog(await fixture(t, 24, { LOOMLOG_PARTITIONS: '2' }), cluster, 'feed')
  const dir = join(made.dir, 'log')
  const environment = { ...made.environment, LOOMLOG_DIR: dir }
  await command(made, ingestArgs(made, dir))
  await publishUnderKills(environment, [
    'publish.before-commit',
    'commit.before-position',
    'commit.before-end',
    'commit.after-end',
  ])
  await assertFeedEqualsViews(environment)
  const short = ['generation', 'start', '--set', 'topic-loom.maxUtterances=3', '--name', 'short', '--wait']
  await command(made, [...short, '--dir', dir])
  await command(made, ['generation', 'promote', 'short', '--dir', dir])
  await publishUnderKills(environment, ['publish.before-switch', 'commit.before-end', 'publish.after-switch'])
  await assertFeedEqualsViews(environment)
  const ids = (await readFeed(environment)).map(({ id }) => id)
  const found = await read(cluster, made.environment.LOOMLOG_KAFKA_ENVIRONMENT ?? '', ids.length)
  assert.deepEqual(found.toSorted(), ids.toSorted())
})

async function command(made: Fixture, args: readonly string[]): Promise<void> {
  const run = await loomlog(args, made.environment)
  assert.equal(run.code, 0, `${args.join(' ')}: ${run.stderr}`)
}

/** Reads the ids in the headers of the feed, as a consumer group. */
async function read({ options }: TestingCluster, environment: string, count: number): Promise<readonly string[]> {
  const kafka = new Kafka({ brokers: [...options.brokers], logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: `${environment}-crm` })
  const ids: string[] = []
  try {
    await consumer.connect()
    await consumer.subscribe({ topic: `${environment}.memory-events`, fromBeginning: true })
    await consumer.run({
      async eachMessage({ message: { headers = {}, key } }) {
        assert.equal(String(key), `${headers.ce_tenant}/${headers.ce_space}`)
        assert.equal(String(headers.ce_specversion), '1.0')
        assert.match(String(headers.ce_type), /^loomlog\.[a-z]+\.[a-z]+$/)
        ids.push(String(headers.ce_id))
      },
    })
    await eventually(() => assert.ok(ids.length >= count, `${ids.length} of ${count}`))
  } finally {
    await consumer.disconnect()
  }
  return ids
}
