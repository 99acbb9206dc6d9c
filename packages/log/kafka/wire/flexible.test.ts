/** Requests of flexible versions: their bytes, and responses with tagged fields of a newer broker. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestConnection } from './kafkajs-cluster.ts'
import type { RequestBytes } from './kafkajs-codec.ts'
import { activeProducers, transactionalIds } from './open-transactions.ts'
import { topicIdentity } from './topic-identity.ts'

interface Protocol {
  readonly request: { readonly encode: () => Promise<RequestBytes> }
  readonly response: {
    readonly decode: (bytes: Buffer) => Promise<Buffer>
    readonly parse: (decoded: Buffer) => Promise<never>
  }
}

/** Two tagged fields, of three bytes and of none. */
const tags = '02 00 03 aabbcc 05 00'

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex')
}

/** A broker that expects one request, and answers it. */
function brokerOf(asked: string, answer: string): RequestConnection {
  return answering(hex(answer), async ({ encode }) => {
    const { buf, offset } = await encode()
    assert.equal(buf.toString('hex', 0, offset), hex(asked).toString('hex'))
  })
}

function answering(answer: Buffer, expect = async (_: Protocol['request']) => {}): RequestConnection {
  return {
    connectionPool: {
      async send(protocol) {
        const { request, response } = protocol as Protocol
        await expect(request)
        return await response.parse(await response.decode(answer))
      },
    },
  }
}

test('the identity of a topic is the ids of cluster and topic', async () => {
  const broker = `00000001 0268 00002384 00 ${tags}`
  const uuid = '000102030405060708090a0b0c0d0e0f'
  const asked = `00 02 ${'00'.repeat(16)} 0274 00 000000 00`
  const answer = `${tags} 00000000 02 ${broker} 0363 64 00000001 02 0000 0274 ${uuid}`
  assert.equal(await topicIdentity(brokerOf(asked, answer), 't'), 'cd/AAECAwQFBgcICQoLDA0ODw')
  const unknown = `${tags} 00000000 01 0363 64 00000001 02 0003`
  await assert.rejects(topicIdentity(brokerOf(asked, unknown), 't'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' })
})

test('the active producers of a partition, with those that have no open transaction', async () => {
  const asked = '00 02 0274 02 00000007 00 00'
  const open = `0020000000000001 00000003 00000009 0000000000000064 00000000 0000000000000005 ${tags}`
  const idle = `0000000000000002 00000000 00000001 00000000000000c8 ffffffff ffffffffffffffff 00`
  const answer = `00 00000000 02 0274 02 00000007 0000 00 03 ${open} ${idle} ${tags} 00 00`
  assert.deepEqual(await activeProducers(brokerOf(asked, answer), 't', 7), [
    { producerId: 2n ** 53n + 1n, epoch: 3, wroteAt: 100, transactionStart: 5 },
    { producerId: 2n, epoch: 0, wroteAt: 200, transactionStart: -1 },
  ])
})

test('the transactional ids of a producer', async () => {
  const asked = '00 01 02 0020000000000001 00'
  const answer = `${tags} 00000000 0000 01 02 0361 62 0020000000000001 054f70656e ${tags} 00`
  assert.deepEqual(await transactionalIds(brokerOf(asked, answer), 2n ** 53n + 1n), ['ab'])
  const none = '00 00000000 0000 01 01 00'
  assert.deepEqual(await transactionalIds(brokerOf(asked, none), 2n ** 53n + 1n), [])
})

test('a response that is cut off has no result', async () => {
  const identity = `${tags} 00000000 02 00000001 0268 00002384 00 ${tags} 0363 64 00000001 02 0000 0274 ${'01'.repeat(16)}`
  const producer = `${'01'.repeat(36)} ${tags}`
  const calls: readonly (readonly [answer: string, call: (broker: RequestConnection) => Promise<unknown>])[] = [
    [identity, (broker) => topicIdentity(broker, 't')],
    [
      `${tags} 00000000 02 0274 02 00000007 0000 00 02 ${producer} ${tags} 00`,
      (broker) => activeProducers(broker, 't', 7),
    ],
    [
      `${tags} 00000000 0000 02 0274 02 0361 62 ${'01'.repeat(8)} 054f70656e ${tags}`,
      (broker) => transactionalIds(broker, 1n),
    ],
  ]
  for (const [answer, call] of calls) {
    const whole = hex(answer)
    await call(answering(whole))
    for (let bytes = 0; bytes < whole.length; bytes++)
      await assert.rejects(call(answering(whole.subarray(0, bytes))), RangeError, `${call}: ${bytes} bytes`)
  }
})

test('a count of more items than bytes is refused before they are read', async () => {
  const tooMany = ['80c2d72f 00', '00 00000000 0000 80c2d72f 00']
  for (const answer of tooMany) await assert.rejects(transactionalIds(answering(hex(answer)), 1n), RangeError, answer)
})
