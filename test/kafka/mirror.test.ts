/**
 * A log that moves to a second cluster and back, mirrored as MirrorMaker does it: committed records only, without
 * transaction markers, so offsets shift. The operator follows packages/log/kafka/README.md, "Moving". Nothing is lost
 * or skipped, and no answer is paid for twice.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type LocalKafka, startLocalKafka } from '@loomlog/kafka-local/kafka-local'
import { localKafkaSkipReason, type TestingCluster, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { openKafkaLog } from '@loomlog/log/kafka'
import { catalogue } from '@loomlog/topics/catalogue'
import kafkajs from 'kafkajs'
import { dumpHash, type Fixture, fixture, ingestAndHash } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { testBrokerDeath } from './broker-death.ts'
import { kafkaLogSettings } from './kafka-log.ts'
import { testOutage } from './outage.ts'

const skip = (await localKafkaSkipReason()) ?? false
const patient = { timeout: 600_000 }
const name = 'mirrored'

describe('a log on two clusters', { skip, ...patient }, () => {
  let cluster: TestingCluster
  let second: LocalKafka
  before(async () => {
    cluster = await testingCluster()
    second = await startLocalKafka({ registryUrl: cluster.options.registry.url })
  })
  after(async () => {
    await second.stop()
    await cluster.stop()
  })

  test('moves to the second and back, and derives the same memory there without a model call', patient, async (t) => {
    const made = await fixture(t, 12, { LOOMLOG_PARTITIONS: '2', LOOMLOG_EMBEDDER: 'words' })
    const [there, back] = [{ ...cluster.options, brokers: second.brokers }, cluster.options]
    const on = (options: TestingCluster['options']): Fixture => ({
      ...made,
      environment: { ...made.environment, ...kafkaLogSettings(options, name).log },
    })
    const before = await ingestAndHash(on(back), join(made.dir, 'first'))

    made.endpoint.reset()
    made.endpoint.setMode('forbid')
    await mirror(back, there)
    const dir = join(made.dir, 'second')
    assert.equal(await ingestAndHash(on(there), dir), before, 'the second cluster has the same memory')
    assert.equal(made.endpoint.calls().total, 0)

    made.endpoint.setMode('answer')
    await ingestMore(on(there), dir)
    const grown = await dumpHash(on(there), dir)
    assert.notEqual(grown, before)

    made.endpoint.reset()
    made.endpoint.setMode('forbid')
    await removeAll(back)
    await mirror(there, back)
    assert.equal(
      await ingestAndHash(on(back), join(made.dir, 'first again')),
      grown,
      'the first cluster has the utterances of the second',
    )
    assert.equal(made.endpoint.calls().total, 0)
  })

  // Last, since these tests kill the second cluster's broker.
  testOutage(() => ({ options: cluster.options, broker: second }))
  testBrokerDeath(() => ({ options: cluster.options, broker: second }))
})

async function ingestMore(made: Fixture, dir: string): Promise<void> {
  const file = join(made.dir, 'more.jsonl')
  const lines = [0, 1, 2].map((index) => ({
    id: `more${index}`,
    conversation: 'c0',
    speaker: 'Ada',
    at: new Date(Date.UTC(2026, 0, 7) + index * 60_000).toISOString(),
    text: `Number ${index}: I sold the boat.`,
  }))
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const run = await loomlog(['ingest', file, '--dir', dir, '--json'], made.environment)
  assert.equal(run.code, 0, run.stderr)
}

/** Copies every topic that is not derived, record by record to the same partition. */
async function mirror(from: TestingCluster['options'], to: TestingCluster['options']): Promise<void> {
  const environment = kafkaLogSettings(from, name).log.LOOMLOG_KAFKA_ENVIRONMENT ?? ''
  const [source, target] = await Promise.all([from, to].map((each) => openKafkaLog({ ...each, environment })))
  assert.ok(source && target)
  const producer = new kafkajs.Kafka({ brokers: [...to.brokers], logLevel: kafkajs.logLevel.NOTHING }).producer()
  await producer.connect()
  const kept = catalogue.filter(({ derivedFrom }) => derivedFrom === null)
  for (const topic of (await source.topics()).filter((each) => kept.some((spec) => spec.name === each.name))) {
    await target.createTopic(topic)
    for await (const records of source.read({ topic: topic.name, until: 'end' })) {
      const messages = records.map(({ key, value, partition, timestamp }) => ({
        key,
        partition,
        timestamp: String(timestamp),
        value: Buffer.from(value),
      }))
      await producer.send({ topic: `${environment}.${topic.name}`, messages })
    }
  }
  await producer.disconnect()
  await Promise.all([source.close(), target.close()])
}

/** Removes every topic and every group of the environment, as an operator does with Kafka's tools. */
async function removeAll({ brokers, ...options }: TestingCluster['options']): Promise<void> {
  const prefix = `${kafkaLogSettings({ ...options, brokers }, name).log.LOOMLOG_KAFKA_ENVIRONMENT}.`
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  const { groups } = await admin.listGroups()
  await admin.deleteGroups(groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix)))
  await admin.deleteTopics({ topics: (await admin.listTopics()).filter((topic) => topic.startsWith(prefix)) })
  await admin.disconnect()
}
