/** Requests after the first open no new connection, and a topic that is made again is read as it is. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, describe, test } from 'node:test'
import { type TestingCluster, testingCluster, whySkipped } from '@loomlog/kafka-local/testing-cluster'
import { readAll, text, textRecords } from '../contract/records.ts'
import type { Log } from '../port.ts'
import { openKafkaLog } from './adapter.ts'

const skip = (await whySkipped()) ?? false

describe('the pool of readers', { skip }, () => {
  let cluster: TestingCluster
  let log: Log
  before(async () => {
    cluster = await testingCluster()
    log = await openKafkaLog(cluster.options)
  })
  after(async () => {
    await log.close()
    await cluster.stop()
  })

  test('an append, an end and a read that ends open no new connection after the first', async () => {
    await log.createTopic({ name: 'kept', partitions: 2, retentionMs: null })
    let opened = 0
    const count = () => {
      opened += 1
    }
    const request = async () => {
      await log.append('kept', textRecords(['a'], 1))
      await log.endOffsets('kept')
      await readAll(log, 'kept')
    }
    subscribe('net.client.socket', count)
    try {
      await request()
      const atFirst = opened
      await Promise.all([request(), request(), request()])
      await request()
      assert.ok(atFirst > 0)
      assert.equal(opened, atFirst)
    } finally {
      unsubscribe('net.client.socket', count)
    }
  })

  test('a topic that is deleted and made again is read as it is', async () => {
    for (const turn of ['first', 'second']) {
      await log.createTopic({ name: 'again', partitions: 1, retentionMs: null })
      await log.append('again', textRecords([turn], 1))
      assert.deepEqual((await readAll(log, 'again')).map(text), [`${turn}:0`])
      await log.deleteTopic('again')
    }
  })
})
