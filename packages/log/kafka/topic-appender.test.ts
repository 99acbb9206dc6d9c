import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import kafkajs, { type Producer } from 'kafkajs'
import { Appender } from './append.ts'
import { TopicAppender } from './topic-appender.ts'

/** Fake producers with numbers. `connect` and `answer` get the number. */
function fakeProducers(behaviour: {
  connect?(producer: number): Promise<void>
  answer?(producer: number, request: number): Promise<void>
}) {
  const used: number[] = []
  const disconnected: number[] = []
  const requestBytes: number[] = []
  let made = 0
  const make = (): Partial<Producer> => {
    const one = made++
    const cut = Promise.withResolvers<never>()
    cut.promise.catch(() => {})
    return {
      connect: async () => behaviour.connect?.(one),
      async disconnect() {
        disconnected.push(one)
        cut.reject(new kafkajs.KafkaJSNonRetriableError('the connection is closed'))
      },
      async sendBatch({ topicMessages = [] }) {
        used.push(one)
        const sent = topicMessages.flatMap(({ topic, messages }) => messages.map((message) => ({ topic, ...message })))
        requestBytes.push(sent.reduce((sum, { value }) => sum + (value?.length ?? 0), 0))
        await Promise.race([behaviour.answer?.(one, used.length), cut.promise])
        return sent.map(({ topic, partition = 0 }) => ({ topicName: topic, partition, baseOffset: '3', errorCode: 0 }))
      },
    }
  }
  return { make: () => make() as Producer, used, disconnected, requestBytes }
}

async function failsFirst(producer: number) {
  if (producer === 0) throw new kafkajs.KafkaJSNonRetriableError('the connection was lost')
}

const isUnavailable = (error: unknown) => isLoomlogError(error, 'log-unavailable')
const placed = () => ({ kafkaTopic: 't', partition: 0, key: 'k', value: Buffer.from('v'), timestamp: 1 })

test('a producer that failed is discarded: its next sequence number might be used already', async () => {
  const { make, used, disconnected } = fakeProducers({ answer: failsFirst })
  const appender = new TopicAppender('t', make)
  await assert.rejects(appender.append([placed()]), isUnavailable)
  assert.deepEqual(await appender.append([placed()]), [3])
  assert.deepEqual([used, disconnected], [[0, 1], [0]])
  await appender.close()
})

test('a producer that could not connect is disconnected', async () => {
  const { make, disconnected } = fakeProducers({ connect: failsFirst })
  const appender = new TopicAppender('t', make)
  await assert.rejects(appender.append([placed()]), isUnavailable)
  assert.deepEqual(disconnected, [0])
  assert.deepEqual(await appender.append([placed()]), [3])
  await appender.close()
})

test('a request without an answer is given up, and closing waits no longer than that', async () => {
  const { make } = fakeProducers({ answer: () => new Promise(() => {}) })
  const appender = new TopicAppender('t', make, 20)
  const appending = assert.rejects(appender.append([placed()]), /appending to t: no result within 0.02 s/)
  await appender.close()
  await appending
})

/** Fills a request to its partition. */
const large = (partition = 0) => ({ ...placed(), partition, value: Buffer.alloc(800_000) })

test('the limit is for each request: an append that needs several may take longer', async () => {
  const { make, disconnected } = fakeProducers({ answer: () => sleep(60) })
  const appender = new TopicAppender('t', make, 150)
  assert.deepEqual(await appender.append([large(), large(), large(), large()]), [3, 3, 3, 3])
  assert.deepEqual(disconnected, [])
  await appender.close()
})

test('a failed request does not fail the appends whose requests have finished', async () => {
  const { make } = fakeProducers({ answer: async (_, request) => failsFirst(request === 2 ? 0 : 1) })
  const appender = new TopicAppender('t', make)
  const appends = [appender.append([large()]), appender.append([large()])]
  await assert.rejects(appends[1] as Promise<unknown>, isUnavailable)
  assert.deepEqual(await appends[0], [3])
  await appender.close()
})

test('the appends that share a request are bounded by their bytes', async () => {
  const { make, requestBytes } = fakeProducers({})
  const appender = new TopicAppender('t', make)
  const appends = Array.from({ length: 30 }, (_, partition) => appender.append([large(partition)]))
  assert.deepEqual(await Promise.all(appends), Array(30).fill([3]))
  assert.ok(Math.max(...requestBytes) <= 8_000_000, String(requestBytes))
  assert.ok(requestBytes.length <= 4, String(requestBytes))
  await appender.close()
})

test('forgetting a topic cuts no request: appends that have begun get their offsets', async () => {
  const answer = Promise.withResolvers<void>()
  const { make, used } = fakeProducers({ answer: () => answer.promise })
  const appender = new Appender(make)
  const appends = ['t', 'other'].map((topic) => appender.append(topic, [{ ...placed(), kafkaTopic: topic }]))
  while (used.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const forgetting = appender.forget('t')
  answer.resolve()
  await forgetting
  assert.deepEqual(await Promise.all(appends), [[3], [3]])
  await appender.close()
})
