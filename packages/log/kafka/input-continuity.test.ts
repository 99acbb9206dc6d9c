/** A group whose input is another log under the same name: its partitions are not processed, and the error says why. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import kafkajs from 'kafkajs'
import { eventually, textRecords } from '../contract/records.ts'
import type { Lease, Log } from '../port.ts'
import { openKafkaLog } from './adapter.ts'
import { InputCheckpoints } from './input-continuity.ts'
import { KafkaNames } from './names.ts'
import { suiteLog } from './suite-log.ts'

const skip = (await skipReason()) ?? false
const group = 'readers'
const topic = { name: 'in', partitions: 1, retentionMs: null }

test('a commit stores a checkpoint of the last read record before its position', () => {
  const records = [0, 3, 7, 9].map((offset) => ({
    topic: 'in',
    partition: 0,
    offset,
    key: null,
    value: Buffer.from(`${offset}`),
    timestamp: 1,
  }))
  const checkpoints = new InputCheckpoints({ log: 'l', offset: 0, last: null })
  checkpoints.read(records.slice(0, 2))
  checkpoints.read([])
  checkpoints.read(records.slice(2))
  const stored = [2, 4, 8, 10].map((position) => checkpoints.upTo(position).last?.offset ?? null)
  assert.deepEqual(stored, [null, 3, 3, 9])
})

describe('a topic that is not the one that the group has read', { skip }, () => {
  const suite = suiteLog()

  /** Deletes the topic and creates it again, as a new volume or a mirror does. The groups and their changelogs stay. */
  async function madeAgain(records: number): Promise<void> {
    const admin = new kafkajs.Kafka({
      brokers: [...suite.cluster.options.brokers],
      logLevel: kafkajs.logLevel.NOTHING,
    }).admin()
    await admin.connect()
    await admin.deleteTopics({ topics: [new KafkaNames(suite.cluster.options.environment).topic('in')] })
    await admin.disconnect()
    await eventually(30_000, async () => {
      await suite.log.createTopic(topic)
      await suite.log.append('in', textRecords(['again'], records))
    })
  }

  /** Commits everything there is, and returns how many records that were. */
  async function readAll(from: Log): Promise<number> {
    const done = Promise.withResolvers<number>()
    const onLease = async (lease: Lease) => {
      const records = await lease.poll({ maxRecords: 1_000, maxWaitMs: 2_000 })
      const position = (records.at(-1)?.offset ?? lease.position - 1) + 1
      await lease.commit({ outputs: [], state: [], position })
      done.resolve(records.length)
    }
    const membership = await from.join({ group, topic: 'in', onLease, onError: done.reject })
    return await done.promise.finally(() => membership.close())
  }

  for (const [records, length] of [
    [2, 'shorter'],
    [9, 'longer'],
  ] as const) {
    test(`a ${length} one is refused, with the reason`, async (t) => {
      await suite.log.createTopic(topic)
      await suite.log.append('in', textRecords(['first'], 5))
      assert.ok((await readAll(suite.log)) > 0)
      await madeAgain(records)
      const fresh = await openKafkaLog(suite.cluster.options)
      t.after(() => fresh.close())
      await assert.rejects(
        readAll(fresh),
        (error) =>
          isLoomlogError(error, 'log-replaced') &&
          /group readers has read another in\/0: in is .*, and was /.test(error.message),
      )
      await fresh.deleteGroup(group)
      assert.equal(await readAll(fresh), records)
      await fresh.deleteTopic('in')
    })
  }
})
