/** Produce requests are those of kafkajs, byte for byte, and kafkajs reads them back. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { withReplacedRequests } from './broker-requests.ts'
import { crc32c } from './crc32c.ts'
import type { BrokerInternals } from './kafkajs-internals.ts'
import { type ProduceRequest, produceBody } from './produce-request.ts'
import type { BatchRecord } from './record-batch.ts'

const require = createRequire(import.meta.url)
const theirs = require('kafkajs/src/protocol/requests/produce/v7/request') as (request: ProduceRequest) => {
  encode(): Promise<{ readonly buffer: Buffer }>
}

const startedAt = 1_750_000_000_000

function record(key: string | null, value: string | Buffer | null, after = 0): BatchRecord {
  return { key, value: typeof value === 'string' ? Buffer.from(value) : value, timestamp: String(startedAt + after) }
}

function request(...batches: readonly (readonly BatchRecord[])[]): ProduceRequest {
  const partitions = batches.map((messages, partition) => ({ partition, firstSequence: partition * 1_000, messages }))
  const topicData = [
    { topic: 'outputs', partitions },
    { topic: 'zustände', partitions: partitions.slice(0, 1) },
  ]
  const producer = { transactionalId: 'loomlog.g.0', producerId: '9007199254740993', producerEpoch: 7 }
  return { acks: -1, timeout: 30_000, ...producer, topicData }
}

const many = Array.from({ length: 300 }, (_, at) => record(`tenant/space-${at % 7}`, `value ${at}`, at * 1_000))

const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', ce_müller: '🧵'.repeat(40) }

const cases: readonly (readonly [what: string, asked: ProduceRequest])[] = [
  ['one record', request([record('k', 'v')])],
  ['an empty value, an empty key, and neither', request([record('k', ''), record('', 'v'), record(null, null)])],
  ['a deletion', request([record('s/seen', null)])],
  ['keys of several bytes a character', request([record('müller/🧵', 'v'), record('\ud800', 'v')])],
  ['lengths around the edges of a varint', request([62, 63, 64, 65, 8_190, 8_192, 16_384].map(sized))],
  ['a record of a megabyte', request([sized(1_000_000)])],
  ['headers', request([{ ...record('k', 'v'), headers }, record('k', 'v'), { ...record('k', 'v'), headers: {} }])],
  ['more records than a byte counts', request(many)],
  ['several partitions', request(many.slice(0, 3), [record('k', 'v')], many.slice(5))],
  [
    'times that go back, and far apart',
    request([record('k', 'v', 5_000_000_000), record('k', 'v'), record('k', 'v', 7)]),
  ],
]

function sized(bytes: number): BatchRecord {
  return record('k', Buffer.alloc(bytes, 'x'))
}

for (const [what, asked] of cases) {
  test(`a produce request is, byte for byte, what kafkajs writes: ${what}`, async () => {
    assert.deepEqual(produceBody(asked), (await theirs(asked).encode()).buffer)
  })
}

test('the checksum is Castagnoli’s, from any offset and of any length', () => {
  const bytes = Buffer.from('..123456789')
  assert.equal(crc32c(bytes, 2, 11), 0xe3069283)
  assert.equal(crc32c(bytes, 2, 2), 0)
  const kafkaCrc = require('kafkajs/src/protocol/recordBatch/crc32C') as (of: Buffer) => number
  for (let length = 0; length < 11; length++)
    assert.equal(crc32c(bytes, 0, length), kafkaCrc(bytes.subarray(0, length)))
})

test('only uncompressed produce requests with our records are encoded here, also after a reconnection', async () => {
  const encode = async () => ({ buf: Buffer.from('theirs'), offset: 6 })
  const broker = withReplacedRequests<BrokerInternals>({ lookupRequest: () => assert.fail('not connected') })
  broker.lookupRequest = (apiKey) => () => ({
    request: { apiVersion: apiKey === 1 ? 11 : 7, encode },
    response: { decode: async () => null, parse: async () => null },
  })
  const asked = request([record('k', 'v')])
  const written = async (apiKey: number, compression: number) => {
    const { buf, offset } = await broker
      .lookupRequest(
        apiKey,
        {},
      )({ ...asked, compression })
      .request.encode()
    return buf.subarray(0, offset)
  }
  assert.deepEqual(await written(0, 0), produceBody(asked))
  assert.equal((await written(0, 1)).toString(), 'theirs')
  assert.equal((await written(1, 0)).toString(), 'theirs')
  const messages = [{ value: 'text', partition: 0 }] as unknown as readonly BatchRecord[]
  const others = { ...asked, topicData: [{ topic: 't', partitions: [{ partition: 0, firstSequence: 0, messages }] }] }
  assert.equal((await broker.lookupRequest(0, {})(others).request.encode()).buf.toString(), 'theirs')
})
