/** Topics that a broker compresses, with the codecs of Kafka's own Java code, are read as any other. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import kafkajs from 'kafkajs'
import { eventually, readAll, textRecords } from '../contract/records.ts'
import type { NewRecord } from '../port.ts'
import { KafkaNames } from './names.ts'
import { suiteLog } from './suite-log.ts'
import { compressionDrift } from './topic-settings.ts'

const skip = (await skipReason()) ?? false

describe('compressed topics', { skip }, () => {
  const suite = suiteLog()

  async function compressed(name: string, type: string): Promise<void> {
    await suite.log.createTopic({ name, partitions: 1, retentionMs: null })
    const admin = new kafkajs.Kafka({
      brokers: [...suite.cluster.options.brokers],
      logLevel: kafkajs.logLevel.NOTHING,
    }).admin()
    await admin.connect()
    const topic = new KafkaNames(suite.cluster.options.environment).topic(name)
    const configEntries = [{ name: 'compression.type', value: type }]
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries }],
    })
    await admin.disconnect()
  }

  /** Repeats at short and long distances, and incompressible bytes. */
  const mixed: readonly NewRecord[] = [
    ...textRecords(['a', 'b', 'c'], 200),
    { key: 'long', value: Buffer.from('to and fro '.repeat(20_000)), timestamp: 1 },
    { key: 'random', value: pseudoRandom(200_000), timestamp: 1 },
    { key: 'random', value: pseudoRandom(200_000), timestamp: 1 },
  ]

  for (const type of ['gzip', 'snappy', 'lz4', 'zstd']) {
    test(`a topic with compression.type=${type} is written, read and processed as any other`, async () => {
      await compressed(`in-${type}`, type)
      await suite.log.append(`in-${type}`, mixed)
      const read = await readAll(suite.log, `in-${type}`)
      assert.deepEqual(read.map(plain), mixed.map(plain))
      const polled = Promise.withResolvers<number>()
      const membership = await suite.log.join({
        group: type,
        topic: `in-${type}`,
        onError: polled.reject,
        onLease: async (lease) => {
          let count = 0
          while (count < mixed.length) count += (await lease.poll({ maxRecords: 1_000, maxWaitMs: 5_000 })).length
          polled.resolve(count)
        },
      })
      assert.equal(await polled.promise, mixed.length)
      await membership.close()
    })
  }

  test('a topic whose compression can be read has no drift, and keeps it', async () => {
    await compressed('planned', 'zstd')
    const config = { name: 'planned', partitions: 1, retentionMs: null }
    await suite.log.createTopic(config)
    // A broker may show the settings of a moment ago.
    await eventually(10_000, async () => assert.deepEqual(await suite.log.topicDrift([config]), []))
    assert.deepEqual(compressionDrift('planned', 'zstd'), [])
    assert.deepEqual(compressionDrift('planned', 'lzma'), [
      {
        topic: 'planned',
        setting: 'compression.type',
        found: 'lzma',
        wanted: 'one of producer, uncompressed, gzip, snappy, lz4, zstd',
        isSettable: false,
      },
    ])
  })
})

function plain({ key, value }: Pick<NewRecord, 'key' | 'value'>): readonly [string | null, string] {
  return [key, Buffer.from(value).toString('base64')]
}

/** The same bytes every time: the second of two such records is one long repeat, at a long distance. */
function pseudoRandom(length: number): Buffer {
  let state = 1
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return state >>> 24
    }),
  )
}
