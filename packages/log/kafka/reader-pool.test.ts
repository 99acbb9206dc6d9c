/** Requests after the first open no new connection, and a topic that is created again is read as the new topic. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, test } from 'node:test'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import { readAll, text, textRecords } from '../contract/records.ts'
import { suiteLog } from './suite-log.ts'

const skip = (await skipReason()) ?? false

describe('the pool of readers', { skip }, () => {
  const suite = suiteLog()

  test('after the first connection, appends, end offsets and bounded reads open no new one', async () => {
    await suite.log.createTopic({ name: 'kept', partitions: 2, retentionMs: null })
    let opened = 0
    const count = () => {
      opened += 1
    }
    const request = async () => {
      await suite.log.append('kept', textRecords(['a'], 1))
      await suite.log.endOffsets('kept')
      await readAll(suite.log, 'kept')
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

  test('a topic that is deleted and created again is read as the new topic', async () => {
    for (const turn of ['first', 'second']) {
      await suite.log.createTopic({ name: 'again', partitions: 1, retentionMs: null })
      await suite.log.append('again', textRecords([turn], 1))
      assert.deepEqual((await readAll(suite.log, 'again')).map(text), [`${turn}:0`])
      await suite.log.deleteTopic('again')
    }
  })
})
