/** Reading without a group: to the end as it was at the call, or following. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { LogRecord } from '../port.ts'
import { readAll, text, textRecord, within } from './records.ts'
import type { Setup } from './setup.ts'

export function readContract(setup: () => Setup): void {
  test('reading until the end stops at the end at the time of the call', async () => {
    const { log } = setup()
    const topic = await setup().topic(2)
    const both = (value: string) => [textRecord(null, value, 0), textRecord(null, value, 1)]
    await log.append(topic, [...both('before'), ...both('before')])
    const values: string[] = []
    for await (const batch of log.read({ topic, until: 'end', maxRecords: 1 })) {
      values.push(...batch.map(text))
      await log.append(topic, both('after'))
    }
    assert.deepEqual(values, ['before', 'before', 'before', 'before'])
  })

  test('a read begins at the given offsets, in the given partitions, with batches of at most the given size', async () => {
    const { log } = setup()
    const topic = await setup().topic(3)
    const records = [0, 1, 2].flatMap((partition) => ['a', 'b', 'c'].map((value) => textRecord(null, value, partition)))
    const positions = await log.append(topic, records)
    const from = new Map([[1, positions[4]?.offset ?? Number.NaN]])
    const found: LogRecord[] = []
    for await (const batch of log.read({ topic, partitions: [1, 2], from, until: 'end', maxRecords: 2 })) {
      assert.ok(batch.length <= 2)
      found.push(...batch)
    }
    const inPartition = (partition: number) => found.filter((record) => record.partition === partition).map(text)
    assert.deepEqual([inPartition(0), inPartition(1), inPartition(2)], [[], ['b', 'c'], ['a', 'b', 'c']])
  })

  test('a follower reads the existing records, and then those that this handle and another one append', async (t) => {
    const { log } = setup()
    const other = await setup().handle(t)
    const topic = await setup().topic(1)
    await log.append(topic, [textRecord('a', 'old')])
    const stop = new AbortController()
    t.after(() => stop.abort())
    const follower = log.read({ topic, until: 'follow', signal: stop.signal })[Symbol.asyncIterator]()
    const next = async () => (await within(60_000, 'the next batch', follower.next())).value?.map(text)
    assert.deepEqual(await next(), ['old'])
    for (const writer of [log, other]) {
      for (const value of ['one', 'two', 'three']) {
        // The follower is waiting when the record is appended.
        const waiting = next()
        await writer.append(topic, [textRecord('a', value)])
        assert.deepEqual(await waiting, [value])
      }
    }
  })

  test('an abort ends a follower and a reader without an error', async () => {
    const { log } = setup()
    const topic = await setup().topic(1)
    await log.append(topic, [textRecord('a', 'one')])
    const stop = new AbortController()
    const ended = (async () => {
      for await (const _ of log.read({ topic, until: 'follow', signal: stop.signal }))
        setTimeout(() => stop.abort(), 50)
    })()
    await within(60_000, 'ending', ended)
    for await (const _ of log.read({ topic, until: 'end', signal: stop.signal })) assert.fail('it was aborted before')
  })

  test('reading a topic that was never created fails', async () => {
    await assert.rejects(readAll(setup().log, setup().name('nowhere')), (error) =>
      isLoomlogError(error, 'topic-unknown'),
    )
  })
}
