import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Codec } from '@loomlog/schemas/codec'
import { messageAt, messagesOf } from './feed-message.ts'

test('a traced event has the attribute traceparent, also a day later, and another event has none', async () => {
  const event = { type: 'TopicPublished', id: 'e1', tenant: 'acme', space: 'home', generation: 'g', at: 1 }
  const codec = { decodeOrNull: async () => event } as unknown as Codec
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const plain = { topic: 'memory-events', partition: 0, key: 'acme/home', value: Buffer.alloc(0), timestamp: 1 }
  const records = [
    { ...plain, offset: 0, traceparent },
    { ...plain, offset: 1 },
  ]
  const [traced, untraced] = (await messagesOf(records, codec, () => true)).map(({ json }) => JSON.parse(json))
  assert.deepEqual([traced.traceparent, traced.specversion, 'traceparent' in untraced], [traceparent, '1.0', false])
})

test('a message is found at its offset only by the same id and tenant', async () => {
  const event = { type: 'TopicPublished', id: 'e1', tenant: 'acme', space: 'home', generation: 'g', at: 1 }
  const record = {
    topic: 'memory-events',
    partition: 0,
    offset: 7,
    key: 'acme/home',
    value: Buffer.alloc(0),
    timestamp: 1,
  }
  const log = {
    endOffsets: async () => [8],
    async *read() {
      yield [record]
    },
  }
  const codec = { decodeOrNull: async () => event } as unknown as Codec
  const at = { partition: 0, offset: 7, id: 'e1', tenant: 'acme' }
  const found = async (changed: object) => (await messageAt({ ...at, ...changed }, log, codec))?.id ?? null
  assert.equal(await found({}), 'e1')
  assert.equal(await found({ id: 'e0' }), null)
  assert.equal(await found({ tenant: 'acm' }), null)
  assert.equal(await found({ offset: 6 }), null)
  assert.equal(await found({ offset: 8 }), null, 'a shorter feed')
  assert.equal(await found({ partition: 1 }), null, 'a feed with fewer partitions')
})
