/** Erasure: holes for readers, at the same offsets, in adapters that can destroy a record. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { checkpointAfter, continuityOf } from '../checkpoint.ts'
import type { LogRecord, Position } from '../port.ts'
import { leaseOf } from './groups.ts'
import { readAll, text, textRecord } from './records.ts'
import type { Setup } from './setup.ts'

export function eraseContract(setup: () => Setup): void {
  /** Records of two keys in one partition, those of `a` erased. */
  async function erasedTopic(): Promise<{ topic: string; positions: readonly Position[] }> {
    const { log } = setup()
    const topic = await setup().topic(1)
    const records = ['a', 'b', 'a', 'a', 'b', 'a'].map((key, at) => textRecord(key, `${key}${at}`))
    const positions = await log.append(topic, records)
    await log.erase(positions.filter((_, at) => records[at]?.key === 'a'))
    return { topic, positions }
  }

  test('an erasure of records that no topic has is refused, and one of none changes nothing', async () => {
    const { log } = setup()
    await log.erase([])
    const nowhere = { topic: setup().name('nowhere'), partition: 0, offset: 0 }
    if (setup().features.erases)
      await assert.rejects(log.erase([nowhere]), (error) => isLoomlogError(error, 'topic-unknown'))
  })

  test('a read passes over erased records, and the ends and other records keep their offsets', async (t) => {
    if (!setup().features.erases) return t.skip('the adapter keeps records until their segment is deleted')
    const { log } = setup()
    const { topic, positions } = await erasedTopic()
    const found = await readAll(log, topic)
    // The last record of a partition is handed out, empty, so that readers reach the end.
    const offsets = [1, 4, 5].map((at) => positions[at]?.offset)
    assert.deepEqual(found.map(text), ['b1', 'b4', ''])
    assert.deepEqual(
      found.map(({ key }) => key),
      ['b', 'b', null],
    )
    assert.deepEqual(
      found.map(({ offset }) => offset),
      offsets,
    )
    assert.deepEqual(await log.endOffsets(topic), [(positions.at(-1)?.offset ?? 0) + 1])
    const [next] = await log.append(topic, [textRecord('a', 'again')])
    assert.equal(next?.offset, (positions.at(-1)?.offset ?? 0) + 1)
    assert.deepEqual((await readAll(await setup().handle(t), topic)).map(text), ['b1', 'b4', 'again'])
  })

  test('batches are full where erased records lie between, and an erasure can be repeated', async (t) => {
    if (!setup().features.erases) return t.skip('the adapter keeps records until their segment is deleted')
    const { log } = setup()
    const { topic, positions } = await erasedTopic()
    await log.erase(positions.slice(0, 1))
    const batches: (readonly string[])[] = []
    for await (const batch of log.read({ topic, until: 'end', maxRecords: 2 })) batches.push(batch.map(text))
    assert.deepEqual(batches, [['b1', 'b4'], ['']])
  })

  test('a lease passes over erased records, and its position may follow the last one', async (t) => {
    if (!setup().features.erases) return t.skip('the adapter keeps records until their segment is deleted')
    const { topic, positions } = await erasedTopic()
    const lease = await leaseOf(setup(), t, { group: setup().name('group'), topic })
    const polled: LogRecord[] = [...(await lease.poll({ maxRecords: 10, maxWaitMs: 1_000 }))]
    assert.deepEqual(polled.map(text), ['b1', 'b4', ''])
    await lease.commit({ outputs: [], state: [], position: (positions.at(-1)?.offset ?? 0) + 1 })
    assert.deepEqual(await lease.poll({ maxRecords: 10, maxWaitMs: 0 }), [])
  })

  test('a reader whose last record was erased reads the topic again', async (t) => {
    if (!setup().features.erases) return t.skip('the adapter keeps records until their segment is deleted')
    const { log } = setup()
    const topic = await setup().topic(1)
    const positions = await log.append(topic, [textRecord('a', 'one'), textRecord('b', 'two')])
    const [one, two] = await readAll(log, topic)
    const identity = await log.identity(topic)
    await log.erase(positions.slice(0, 1))
    const after = (record: LogRecord | undefined) =>
      continuityOf(log, { topic, partition: 0 }, checkpointAfter(identity, record as LogRecord))
    assert.equal((await after(one)).kind, 'replaced')
    assert.equal((await after(two)).kind, 'continues')
  })
}
