/**
 * Requests that fail: those that may succeed later are tried again, for a time, and every other failure names its
 * place.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Connect } from './driver.ts'
import { TopicReader } from './topic-reader.ts'
import type { Broker, Cluster } from './wire/kafkajs-cluster.ts'

/** A cluster of one broker, whose fetches fail in turn with these errors, and then find nothing. */
async function readerWith(errors: readonly Error[]) {
  const left = [...errors]
  const broker = {
    fetch: async () => {
      const error = left.shift()
      if (error) throw error
      return { responses: [] }
    },
  } as unknown as Broker
  const cluster = {
    connect: async () => {},
    addTargetTopic: async () => {},
    refreshMetadata: async () => {},
    disconnect: async () => {},
    findBroker: async () => broker,
    findTopicPartitionMetadata: () => [{ partitionId: 3, leader: 1, replicas: [1] }],
  } as unknown as Cluster
  const reader = await TopicReader.open({ cluster: () => cluster } as unknown as Connect, 'test.in', 'in')
  return { fetch: () => reader.fetch(new Map([[3, 42]]), 0), left }
}

test('a retriable failure is retried', async () => {
  const moved = Object.assign(new Error('the leader has moved'), { name: 'KafkaJSProtocolError', retriable: true })
  const { fetch, left } = await readerWith([moved, moved])
  for (let times = 0; times < 3; times++) assert.deepEqual(await fetch(), [])
  assert.equal(left.length, 0)
})

test('any other failure names topic, partition and offset', async () => {
  const refused = Object.assign(new Error('not authorized'), { name: 'KafkaJSProtocolError', retriable: false })
  for (const error of [refused, new RangeError('the response ends too soon')]) {
    const { fetch } = await readerWith([error])
    await assert.rejects(
      fetch(),
      (told) =>
        isLoomlogError(told, 'log-unavailable') &&
        told.message === `reading in/3 from offset 42: ${error.message}` &&
        told.cause === error,
    )
  }
})

test('offsets of a topic whose metadata has not arrived are asked again', async () => {
  let asked = 0
  const listOffsets = async () => ({ responses: [{ partitions: [{ partition: 0, offset: '7' }] }] })
  const cluster = {
    connect: async () => {},
    addTargetTopic: async () => {},
    refreshMetadata: async () => {},
    disconnect: async () => {},
    findBroker: async () => ({ listOffsets }) as unknown as Broker,
    findTopicPartitionMetadata: () => (asked++ === 0 ? [] : [{ partitionId: 0, leader: 1, replicas: [1] }]),
  } as unknown as Cluster
  const reader = await TopicReader.open({ cluster: () => cluster } as unknown as Connect, 'test.in', 'in')
  assert.deepEqual(await reader.endOffsets(), [7])
})
