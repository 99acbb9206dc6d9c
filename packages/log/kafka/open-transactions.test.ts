/** A transaction that another writer leaves open holds up no read that ends, and is reported with its producer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import { eventually, readAll, text, textRecords } from '../contract/records.ts'
import type { Log } from '../port.ts'
import { connectTo } from './driver.ts'
import { KafkaNames } from './names.ts'
import { suiteLog } from './suite-log.ts'

const skip = (await skipReason()) ?? false

describe('an open transaction', { skip }, () => {
  const notices: string[] = []
  const suite = suiteLog({ onNotice: (text) => notices.push(text) })

  test('holds up no read that ends, and is reported once with its producer, and once when it is over', async (t) => {
    const kafkaTopic = new KafkaNames(suite.cluster.options.environment).topic('held')
    await suite.log.createTopic({ name: 'held', partitions: 1, retentionMs: null })
    await suite.log.append('held', textRecords(['before'], 1))
    const connect = connectTo(suite.cluster.options.brokers, 'foreign', {})
    t.after(() => connect.close())
    const transactionalId = `${kafkaTopic}.foreign`
    const foreign = connect.kafka.producer({ transactionalId, idempotent: true, transactionTimeout: 300_000 })
    await foreign.connect()
    const transaction = await foreign.transaction()
    await transaction.send({ topic: kafkaTopic, messages: [{ key: 'k', value: 'open', partition: 0 }] })
    await suite.log.append('held', textRecords(['behind'], 1))

    // The transaction is aborted below: a read that waited for its end would not return before.
    assert.deepEqual((await readAll(suite.log, 'held')).map(text), ['before:0'])
    assert.deepEqual(await suite.log.endOffsets('held'), [1])

    const stop = new AbortController()
    const followed: string[] = []
    const following = follow(suite.log, stop.signal, followed)
    await eventually(30_000, () => assert.equal(notices.length, 1))
    assert.match(notices[0] ?? '', /^held\/0: a transaction has been open from offset 1 on for 5 s/)
    assert.ok(notices[0]?.includes(`Its producer: transactional id ${transactionalId}, id `), notices[0])
    assert.match(notices[0] ?? '', new RegExp(`--topic ${kafkaTopic} --partition 0 --start-offset 1$`))
    await transaction.abort()
    await eventually(15_000, () => assert.deepEqual(followed, ['before:0', 'behind:0']))
    await eventually(15_000, () =>
      assert.deepEqual(notices.slice(1), ['held/0: the transaction from offset 1 on is over']),
    )
    stop.abort()
    await following
    await foreign.disconnect()
  })
})

async function follow(log: Log, signal: AbortSignal, into: string[]): Promise<void> {
  for await (const records of log.read({ topic: 'held', until: 'follow', signal })) into.push(...records.map(text))
}
