/** What kafkajs wrote is read as kafkajs reads it. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import type { FetchedMessage } from './cluster.ts'
import { fetchAnswer } from './fetched.ts'

const require = createRequire(import.meta.url)
const Encoder = require('kafkajs/src/protocol/encoder')
const recordOf = require('kafkajs/src/protocol/recordBatch/record/v0')
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0')
const theirs = require('kafkajs/src/protocol/requests/fetch/v11/response') as {
  decode(bytes: Buffer): Promise<NonNullable<ReturnType<typeof fetchAnswer>>>
}

interface Record {
  readonly key: string | null
  readonly value: Buffer | string | null
  readonly timestampDelta?: number
  readonly headers?: { readonly [name: string]: string }
}

type How = { readonly compression?: number; readonly transactional?: boolean; readonly attributes?: number }

async function batch(firstOffset: number, records: readonly Record[], how: How = {}): Promise<Buffer> {
  const encoded = records.map((record, offsetDelta) => recordOf({ ...record, offsetDelta }))
  const times = { firstTimestamp: 1_750_000_000_000, maxTimestamp: 1_750_000_009_000 }
  const producer = { producerId: '9007199254740993', producerEpoch: 1, firstSequence: 5 }
  const head = { ...times, ...producer, ...how, firstOffset, records: encoded, lastOffsetDelta: records.length - 1 }
  const { buffer } = await RecordBatch(head)
  if (how.attributes) buffer.writeInt16BE(how.attributes, 21)
  return buffer
}

function answer(...partitions: readonly Buffer[]): Buffer {
  const aborted = new Encoder().writeInt64('9007199254740993').writeInt64('17')
  const encoded = partitions.map((bytes, partition) =>
    new Encoder()
      .writeInt32(partition)
      .writeInt16(0)
      .writeInt64('120')
      .writeInt64('110')
      .writeInt64('0')
      .writeArray(partition === 0 ? [aborted] : [])
      .writeInt32(-1)
      .writeInt32(bytes.length)
      .writeBuffer(bytes),
  )
  const topics = [new Encoder().writeString('eingänge').writeArray(encoded)]
  return new Encoder().writeInt32(3).writeInt16(0).writeInt32(9).writeArray(topics).buffer
}

/** What is read of an answer, in one form. */
function read(answered: ReturnType<typeof fetchAnswer>) {
  assert.ok(answered)
  const { throttleTime, clientSideThrottleTime, errorCode, sessionId } = answered
  const responses = answered.responses.map(({ topicName, partitions }) => ({
    topicName,
    partitions: partitions.map(({ partition, highWatermark, abortedTransactions, messages }) => ({
      ...{ partition, highWatermark, abortedTransactions },
      messages: messages.map(message),
    })),
  }))
  return { throttleTime, clientSideThrottleTime, errorCode, sessionId, responses }
}

function message({ offset, timestamp, key, value, isControlRecord, batchContext }: FetchedMessage) {
  const { firstOffset, lastOffsetDelta, producerId, inTransaction } = batchContext
  const context = { firstOffset, lastOffsetDelta, producerId, inTransaction }
  return { offset: Number(offset), timestamp: Number(timestamp), key, value, isControlRecord, context }
}

const usual = await batch(100, [
  { key: 'k', value: 'v' },
  { key: null, value: 'no key', timestampDelta: 5_000_000_000 },
  { key: '', value: '' },
  { key: 's/müller/🧵', value: null, timestampDelta: -7 },
  { key: 'k', value: Buffer.alloc(1_000_000, 'x'), headers: { of: 'somebody else' } },
])
const inTransaction = await batch(2 ** 40, [{ key: 'k', value: 'v' }], { transactional: true })
const marker = await batch(107, [{ key: '\0\0\0\0', value: 'marker' }], { attributes: 0x30 })
const appendTime = await batch(108, [{ key: 'k', value: 'v' }], { attributes: 0x08 })

const cases: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['nothing new', answer(Buffer.alloc(0))],
  ['one batch', answer(usual)],
  [
    'several batches, a transaction, its marker, and times of the broker',
    answer(Buffer.concat([usual, inTransaction, marker, appendTime])),
  ],
  ['several partitions', answer(usual, Buffer.alloc(0), marker)],
  ['a batch that is cut off', answer(Buffer.concat([inTransaction, usual.subarray(0, 900)]))],
  ['a batch that is cut off within its head', answer(Buffer.concat([marker, usual.subarray(0, 40)]))],
  [
    'a batch without records, as compaction leaves them',
    answer(Buffer.concat([marker, await batch(110, []), appendTime])),
  ],
]

for (const [what, bytes] of cases) {
  test(`an answer to a fetch is read as kafkajs reads it: ${what}`, async () => {
    assert.deepEqual(read(fetchAnswer(bytes)), read(await theirs.decode(bytes)))
  })
}

test('reading goes on behind a batch that compaction left without records', async () => {
  const emptied = await batch(110, [])
  emptied.writeInt32BE(4, 23)
  const next = (...batches: Buffer[]) => fetchAnswer(answer(Buffer.concat(batches)))?.responses[0]?.partitions[0]?.next
  assert.deepEqual([next(emptied), next(marker, emptied), next(marker), next()], [115, 115, 108, null])
})

test('what is compressed is left to kafkajs, which unpacks gzip', async () => {
  const bytes = answer(Buffer.concat([usual, await batch(105, [{ key: 'k', value: 'packed' }], { compression: 1 })]))
  assert.equal(fetchAnswer(bytes), null)
  const messages = (await theirs.decode(bytes)).responses[0]?.partitions[0]?.messages
  assert.equal(messages?.at(-1)?.value?.toString(), 'packed')
})

test('an answer that ends too soon is an error, not half an answer', () => {
  assert.throws(() => fetchAnswer(answer(usual).subarray(0, 30)), RangeError)
})
