/** Appends that a real broker refuses, with a retriable error or for good. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import kafkajs from 'kafkajs'
import { readAll, text, textRecord } from '../contract/records.ts'
import { connectTo } from './driver.ts'
import { KafkaNames } from './names.ts'
import { suiteLog } from './suite-log.ts'
import { TopicAppender } from './topic-appender.ts'
import { idempotentProducer } from './wire/idempotent-producer.ts'

const skip = (await skipReason()) ?? false

describe('an append that the broker refuses', { skip, timeout: 120_000 }, () => {
  const suite = suiteLog()
  const kafkaTopic = (name: string) => new KafkaNames(suite.cluster.options.environment).topic(name)

  test('with a retriable error is given up after the configured retries, and is not in the log', async (t) => {
    const name = 'gone'
    const topic = { name, partitions: 1, retentionMs: null }
    await suite.log.createTopic(topic)
    const connect = connected(t)
    const retry = { ...connect.retry, retries: 3 }
    const appender = new TopicAppender(kafkaTopic(name), () => idempotentProducer({ ...connect, retry }))
    t.after(() => appender.close())
    const append = (value: string) =>
      appender.append([
        { kafkaTopic: kafkaTopic(name), partition: 0, key: 'k', value: Buffer.from(value), timestamp: 1 },
      ])
    assert.deepEqual(await append('one'), [0])
    await suite.log.deleteTopic(name)
    await assert.rejects(append('two'), (error) => isLoomlogError(error, 'topic-unknown'))
    await suite.log.createTopic(topic)
    assert.deepEqual(await append('three'), [0])
    assert.deepEqual((await readAll(suite.log, name)).map(text), ['three'])
  })

  test('as larger than its topic allows fails alone: appends that shared its batch are written once, in order', async (t) => {
    const name = 'small-records'
    await suite.log.createTopic({ name, partitions: 2, retentionMs: null })
    await setting(connected(t), kafkaTopic(name), { 'max.message.bytes': '10000' })
    const append = (value: string, ...more: readonly string[]) =>
      suite.log.append(
        name,
        [value, ...more].map((each, n) => ({ ...textRecord(null, each), partition: n })),
      )
    const results = await Promise.allSettled([
      append('one', 'beside one'),
      append('large'.padEnd(20_000)),
      append('two'.padEnd(6_000)),
      append('three'.padEnd(6_000), 'beside three'),
    ])
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    assert.equal(refused.length, 1)
    assert.ok(isLoomlogError(refused[0], 'record-too-large'), String(refused[0]))
    const found = (await readAll(suite.log, name)).map((record) => text(record).trim())
    assert.deepEqual(found, ['one', 'two', 'three', 'beside one', 'beside three'])
    assert.deepEqual(
      results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.length] : [])),
      [2, 1, 2],
    )
    await append('after')
  })

  function connected(t: TestContext) {
    const connect = connectTo(suite.cluster.options.brokers, 'test', {})
    t.after(() => connect.close())
    return connect
  }
})

async function setting(connect: ReturnType<typeof connectTo>, topic: string, settings: Record<string, string>) {
  const admin = connect.kafka.admin()
  await admin.connect()
  // The request resets every setting that it doesn't name.
  const configEntries = Object.entries({ 'retention.ms': '-1', ...settings }).map(([name, value]) => ({ name, value }))
  const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries }]
  await admin.alterConfigs({ validateOnly: false, resources })
  await admin.disconnect()
}
