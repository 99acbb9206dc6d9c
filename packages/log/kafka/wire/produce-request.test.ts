/** Produce requests are those of kafkajs, byte for byte, and kafkajs reads them back. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { withReplacedRequests } from './broker-requests.ts'
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

test('produce requests are encoded here, and no others, also after a reconnection', async () => {
  const encode = async () => ({ buf: Buffer.from('theirs'), offset: 6 })
  const broker = withReplacedRequests<BrokerInternals>({ lookupRequest: () => assert.fail('not connected') })
  const asked = request([record('k', 'v')])
  for (const _connection of [1, 2]) {
    broker.lookupRequest = (apiKey) => () => ({
      request: { apiVersion: apiKey === 1 ? 11 : 7, encode },
      response: { decode: async () => null, parse: async () => null },
    })
    const written = async (apiKey: number) => {
      const { buf, offset } = await broker.lookupRequest(apiKey, {})(asked).request.encode()
      return buf.subarray(0, offset)
    }
    assert.deepEqual(await written(0), produceBody(asked))
    assert.equal((await written(1)).toString(), 'theirs')
  }
})
