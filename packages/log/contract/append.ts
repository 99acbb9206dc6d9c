/** Appending: durable, in order, by key, within limits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { partitionOf } from '../partition.ts'
import { maxKeyBytes, maxRecordBytes } from '../port.ts'
import { readAll, text, textRecord, valuesByKey } from './records.ts'
import type { Setup } from './setup.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

export function appendContract(setup: () => Setup): void {
  test('an appended record is read back through another handle, byte for byte', async (t) => {
    const topic = await setup().topic(2)
    const value = Uint8Array.from({ length: 256 }, (_, n) => n)
    const [keyed, unkeyed] = [
      { key: 'ténant/späce', value, timestamp: 1_700_000_000_123, traceparent },
      { key: null, value: new Uint8Array(), timestamp: 1_700_000_000_456, partition: 1 },
    ]
    const positions = await setup().log.append(topic, [keyed, unkeyed])
    const read = await readAll(await setup().handle(t), topic)
    for (const [n, record] of [keyed, unkeyed].entries()) {
      const position = positions[n]
      const found = read.find(
        ({ partition, offset }) => partition === position?.partition && offset === position.offset,
      )
      assert.ok(found, 'the record is where append said')
      assert.equal(found.topic, topic)
      assert.equal(found.key, record.key)
      assert.equal(found.timestamp, record.timestamp)
      assert.equal(found.traceparent, 'traceparent' in record ? traceparent : undefined)
      assert.ok(Buffer.from(found.value).equals(Buffer.from(record.value)))
    }
    assert.equal(positions[1]?.partition, 1)
    assert.equal(read.length, 2)
  })

  test("a key's records are all in one partition, the one that every Kafka client would choose", async (t) => {
    const topic = await setup().topic(5)
    const keys = Array.from({ length: 30 }, (_, n) => `tenant/${n}`)
    for (const log of [setup().log, await setup().handle(t)]) {
      await log.append(
        topic,
        keys.map((key) => textRecord(key, key)),
      )
    }
    const records = await readAll(setup().log, topic)
    assert.equal(records.length, 60)
    for (const record of records) assert.equal(record.partition, partitionOf(text(record), 5))
  })

  test("every writer's records keep their order while others write to the same partition", async (t) => {
    const topic = await setup().topic(1)
    const logs = [setup().log, await setup().handle(t), await setup().handle(t)]
    await Promise.all(
      logs.map(async (log, writer) => {
        for (let n = 0; n < 20; n++) {
          await log.append(topic, [textRecord(`w${writer}`, `${2 * n}`), textRecord(`w${writer}`, `${2 * n + 1}`)])
        }
      }),
    )
    const records = await readAll(setup().log, topic)
    const inOrder = Array.from({ length: 40 }, (_, n) => `${n}`)
    const byKey = valuesByKey(records)
    for (const writer of logs.keys()) assert.deepEqual(byKey.get(`w${writer}`), inOrder)
    for (const [n, record] of records.entries()) assert.ok(n === 0 || record.offset > (records[n - 1]?.offset ?? 0))
  })

  test('concurrent appends of one handle are in the order of the calls', async () => {
    const { log } = setup()
    const topic = await setup().topic(1)
    await Promise.all(Array.from({ length: 30 }, (_, n) => log.append(topic, [textRecord('a', `${n}`)])))
    assert.deepEqual(
      (await readAll(log, topic)).map(text),
      Array.from({ length: 30 }, (_, n) => `${n}`),
    )
  })

  test('a value and a key at the limits are appended; one byte more, and the whole append is refused', async () => {
    const { log } = setup()
    const topic = await setup().topic(1)
    const sized = (bytes: number) => ({ key: 'a/b', value: new Uint8Array(bytes), timestamp: 0 })
    await assert.rejects(log.append(topic, [sized(1), sized(maxRecordBytes + 1)]), (error) => {
      assert.ok(isLoomlogError(error, 'record-too-large'))
      for (const part of [topic, 'a/b', `${maxRecordBytes + 1}`, `${maxRecordBytes}`])
        assert.ok(error.message.includes(part))
      return true
    })
    assert.deepEqual(await readAll(log, topic), [])
    const longest = 'k'.repeat(maxKeyBytes)
    await assert.rejects(log.append(topic, [{ ...sized(1), key: `${longest}k` }]), (error) => {
      assert.ok(isLoomlogError(error, 'record-too-large'))
      assert.match(error.message, new RegExp(`the key of a record for ${topic}, kkk.*…, has 32769 bytes`))
      return true
    })
    await log.append(topic, [{ ...sized(maxRecordBytes), key: longest }])
    const [kept] = await readAll(log, topic)
    assert.deepEqual([kept?.value.byteLength, kept?.key], [maxRecordBytes, longest])
  })

  test('an append to a topic that was never created is refused', async () => {
    const nowhere = setup().name('nowhere')
    await assert.rejects(setup().log.append(nowhere, [textRecord('a', 'x')]), (error) =>
      isLoomlogError(error, 'topic-unknown'),
    )
  })

  test('appends to a topic that another process deleted neither fail nor hold up appends to other topics', async (t) => {
    const { log } = setup()
    const [topic, deleted] = [await setup().topic(1), await setup().topic(1)]
    const append = (to: string, value: string) => log.append(to, [textRecord('a', value)])
    await Promise.all([append(topic, 'before'), append(deleted, 'before')])
    await (await setup().handle(t)).deleteTopic(deleted)
    append(deleted, 'lost').catch(() => {})
    await Promise.all([append(topic, '0'), append(topic, '1')])
    assert.deepEqual((await readAll(log, topic)).map(text), ['before', '0', '1'])
  })
}
