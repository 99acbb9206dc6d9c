import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import kafkajs, { type Producer } from 'kafkajs'
import { Appender } from './append.ts'

/** Producers with numbers; the first one's first request fails. */
function failingOnce() {
  const used: number[] = []
  const disconnected: number[] = []
  let made = 0
  const producer = (): Partial<Producer> => {
    const one = made++
    return {
      connect: async () => {},
      disconnect: async () => {
        disconnected.push(one)
      },
      async sendBatch({ topicMessages }) {
        used.push(one)
        if (used.length === 1) throw new kafkajs.KafkaJSNonRetriableError('the connection was lost')
        return (
          topicMessages?.map(({ topic }) => ({ topicName: topic, partition: 0, baseOffset: '3', errorCode: 0 })) ?? []
        )
      },
    }
  }
  return { producer: () => producer() as Producer, used, disconnected }
}

const placed = { kafkaTopic: 't', partition: 0, key: 'k', value: Buffer.from('v'), timestamp: 1 }

test('a producer that failed is thrown away: its next sequence number might be taken', async () => {
  const { producer, used, disconnected } = failingOnce()
  const appender = new Appender(producer)
  await assert.rejects(appender.append([placed]), (error) => isLoomlogError(error, 'log-unavailable'))
  assert.deepEqual(await appender.append([placed]), [3])
  assert.deepEqual([used, disconnected], [[0, 1], [0]])
  await appender.close()
})
