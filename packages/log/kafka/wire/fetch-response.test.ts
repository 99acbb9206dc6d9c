/** Batches that kafkajs wrote are read as kafkajs reads them; batches that can't be read are named. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { crc32c } from '@node-rs/crc32'
import { type FetchResponse, fetchResponse } from './fetch-response.ts'

const require = createRequire(import.meta.url)
const Encoder = require('kafkajs/src/protocol/encoder')
const recordOf = require('kafkajs/src/protocol/recordBatch/record/v0')
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0')
const theirs = require('kafkajs/src/protocol/requests/fetch/v11/response') as {
  decode(bytes: Buffer): Promise<TheirResponse>
}

/** The compared fields of kafkajs's response. */
interface TheirResponse extends Omit<FetchResponse, 'responses'> {
  readonly responses: readonly {
    readonly topicName: string
    readonly partitions: readonly {
      readonly partition: number
      readonly highWatermark: string
      readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[]
      readonly messages: readonly TheirMessage[]
    }[]
  }[]
}

interface TheirMessage {
  readonly offset: string
  readonly timestamp: string
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: { readonly [name: string]: Buffer }
  readonly isControlRecord: boolean
  readonly batchContext: {
    readonly firstOffset: string
    readonly lastOffsetDelta: number
    readonly producerId: string
    readonly inTransaction: boolean
  }
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
  return sealed(buffer)
}

/** Writes the batch's length and checksum. */
function sealed(bytes: Buffer): Buffer {
  bytes.writeInt32BE(bytes.length - 12, 8)
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17)
  return bytes
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

/** Our response in the form that `kafkajsOwn` gives kafkajs's. */
function ours({ responses, ...head }: FetchResponse) {
  const { throttleTime, clientSideThrottleTime, errorCode, sessionId } = head
  return {
    throttleTime,
    clientSideThrottleTime,
    errorCode,
    sessionId,
    responses: responses.map(({ topicName, partitions }) => ({
      topicName,
      partitions: partitions.map(({ partition, highWatermark, abortedTransactions, records }) => ({
        partition,
        highWatermark,
        abortedTransactions,
        records,
      })),
    })),
  }
}

function kafkajsOwn({ responses, ...head }: TheirResponse) {
  const { throttleTime, clientSideThrottleTime, errorCode, sessionId } = head
  return {
    throttleTime,
    clientSideThrottleTime,
    errorCode,
    sessionId,
    responses: responses.map(({ topicName, partitions }) => ({
      topicName,
      partitions: partitions.map(({ partition, highWatermark, abortedTransactions, messages }) => ({
        partition,
        highWatermark: Number(highWatermark),
        abortedTransactions: abortedTransactions.map((each) => ({ ...each, firstOffset: Number(each.firstOffset) })),
        records: messages.map(recordOfTheirs),
      })),
    })),
  }
}

function recordOfTheirs({ offset, timestamp, key, value, headers, isControlRecord, batchContext }: TheirMessage) {
  const { firstOffset, lastOffsetDelta, producerId, inTransaction } = batchContext
  const batch = { lastOffset: Number(firstOffset) + lastOffsetDelta, producerId, inTransaction }
  const traceparent = headers.traceparent?.toString() ?? null
  const read = { offset: Number(offset), timestamp: Number(timestamp), key, value, traceparent }
  return { ...read, isControlRecord, batch, fault: null }
}

const usual = await batch(100, [
  { key: 'k', value: 'v' },
  { key: null, value: 'no key', timestampDelta: 5_000_000_000 },
  { key: '', value: '' },
  { key: 's/müller/🧵', value: null, timestampDelta: -7 },
  { key: 'k', value: Buffer.alloc(1_000_000, 'x'), headers: { of: 'somebody else' } },
  {
    key: 'k',
    value: 'traced',
    headers: { of: 'somebody else', traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, last: '' },
  },
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
  test(`a response to a fetch is read as kafkajs reads it: ${what}`, async () => {
    assert.deepEqual(ours(fetchResponse(bytes)), kafkajsOwn(await theirs.decode(bytes)))
  })
}

function only(...batches: readonly Buffer[]) {
  const partition = fetchResponse(answer(Buffer.concat(batches))).responses[0]?.partitions[0]
  assert.ok(partition)
  return partition
}

test('reading continues after a batch that compaction left without records', async () => {
  const emptied = await batch(110, [])
  emptied.writeInt32BE(4, 23)
  sealed(emptied)
  assert.deepEqual(
    [only(emptied).next, only(marker, emptied).next, only(marker).next, only().next],
    [115, 115, 108, null],
  )
})

/** A batch of two records, compressed. */
async function packed(codec: number, pack: (records: Buffer) => Buffer): Promise<Buffer> {
  const plain = await batch(200, [
    { key: 'a', value: 'one' },
    { key: 'b', value: 'two' },
  ])
  const head = Buffer.from(plain.subarray(0, 61))
  head.writeInt16BE(codec, 21)
  return sealed(Buffer.concat([head, pack(plain.subarray(61))]))
}

test('compressed batches among others are unpacked', async () => {
  for (const bytes of [await packed(1, gzipSync), await packed(4, zstdCompressSync)]) {
    const { records, next } = only(marker, bytes, inTransaction)
    const read = records.map(({ offset, value, fault }) => [offset, value?.toString(), fault])
    assert.deepEqual(read.slice(1, 3), [
      [200, 'one', null],
      [201, 'two', null],
    ])
    assert.equal(next, 2 ** 40 + 1)
  }
})

test('an unreadable batch becomes one record with the reason, and the batches around it are read', async () => {
  const flipped = Buffer.from(usual)
  flipped.writeUInt8(flipped.readUInt8(80) ^ 1, 80)
  const old = Buffer.from(usual)
  old.writeUInt8(1, 16)
  const faults = [
    [flipped, /checksum differs/],
    [old, /format is 1, not 2/],
    [await packed(2, () => Buffer.from('garbage')), /^snappy: /],
    [await packed(3, () => Buffer.from('garbage')), /^lz4: it is no LZ4 frame/],
    [await packed(4, () => Buffer.from('garbage')), /^zstd: /],
    [await packed(6, (records) => records), /compression codec 6 is not one of none, gzip, snappy, lz4, zstd/],
    [await packed(1, () => gzipSync(Buffer.from([200, 1]))), /out of range|behind its batch/],
  ] as const
  for (const [bytes, fault] of faults) {
    const { records, next } = only(inTransaction, bytes, marker)
    const [first, second, last] = records
    assert.equal(records.length, 3)
    assert.deepEqual([first?.fault, last?.fault, next], [null, null, 108])
    assert.deepEqual([second?.offset, second?.value], [Number(bytes.readBigInt64BE(0)), null])
    assert.match(second?.fault ?? '', fault)
  }
})

test('a response that is cut off anywhere is an error', () => {
  const whole = answer(marker, Buffer.alloc(0), inTransaction)
  for (let bytes = 0; bytes < whole.length; bytes++)
    assert.throws(() => fetchResponse(whole.subarray(0, bytes)), RangeError, `${bytes} bytes`)
})

test('a negative size or count is an error, and -1 is none', () => {
  const whole = answer(Buffer.alloc(0))
  const sizeAt = whole.length - 4
  const abortedAt = sizeAt - 4 - 16 - 4
  for (const [at, length] of [
    [sizeAt, -2],
    [sizeAt, -46],
    [abortedAt, -2],
    [abortedAt, 29],
  ] as const) {
    const damaged = Buffer.from(whole)
    damaged.writeInt32BE(length, at)
    assert.throws(() => fetchResponse(damaged), RangeError, `${length} at ${at}`)
  }
  whole.writeInt32BE(-1, sizeAt)
  assert.deepEqual(fetchResponse(whole).responses[0]?.partitions[0]?.records, [])
})
