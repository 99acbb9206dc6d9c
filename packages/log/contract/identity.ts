/** Identity and checkpoints: a reader that stored a checkpoint notices another log, and one that was cut short. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { checkpointAfter, continuityOf } from '../checkpoint.ts'
import type { Log } from '../port.ts'
import { leaseOf } from './groups.ts'
import { eventually, readAll, textRecord } from './records.ts'
import type { Setup } from './setup.ts'

export function identityContract(setup: () => Setup): void {
  test('a topic has one identity through every handle, and another one than every other topic', async (t) => {
    const { log } = setup()
    const [topic, other] = [await setup().topic(1), await setup().topic(1)]
    const identity = await log.identity(topic)
    assert.equal(await (await setup().handle(t)).identity(topic), identity)
    assert.notEqual(await log.identity(other), identity)
    await assert.rejects(log.identity(setup().name('nowhere')), (error) => isLoomlogError(error, 'topic-unknown'))
  })

  test('a topic that is created again under its name has another identity', async () => {
    const { log, features } = setup()
    const topic = await setup().topic(1)
    // A broker may return the deleted topic for a moment. Its end offset distinguishes it from the empty new one.
    await log.append(topic, [textRecord('a', 'one')])
    const before = await log.identity(topic)
    await log.deleteTopic(topic)
    await made(log, topic, features.settleMs)
    assert.notEqual(await log.identity(topic), before)
  })

  test('a checkpoint is continued by a log that grew, also from before the first record', async () => {
    const { log } = setup()
    const topic = await setup().topic(1)
    const place = { topic, partition: 0 }
    const atStart = { log: await log.identity(topic), offset: 0, last: null }
    await log.append(topic, [textRecord('a', 'one'), textRecord('a', 'two')])
    for (const record of await readAll(log, topic)) {
      const checkpoint = checkpointAfter(await log.identity(topic), record)
      await log.append(topic, [textRecord('a', 'more')])
      assert.deepEqual(await continuityOf(log, place, checkpoint), { kind: 'continues' })
    }
    assert.deepEqual(await continuityOf(log, place, atStart), { kind: 'continues' })
  })

  test('a checkpoint is not continued by another topic, a shorter log, or a log with another record in its place', async () => {
    const { log, features } = setup()
    const topic = await setup().topic(1)
    await log.append(topic, [textRecord('a', 'one'), textRecord('a', 'two')])
    const last = (await readAll(log, topic)).at(-1)
    assert.ok(last)
    const before = checkpointAfter(await log.identity(topic), last)
    await log.deleteTopic(topic)
    await made(log, topic, features.settleMs)
    const now = { ...before, log: await log.identity(topic) }
    const reason = async (checkpoint: typeof before) => {
      const continuity = await continuityOf(log, { topic, partition: 0 }, checkpoint)
      return continuity.kind === 'replaced' ? continuity.reason : ''
    }
    assert.match(await reason(before), /is .+, and was /)
    await log.append(topic, [textRecord('a', 'one')])
    assert.match(await reason(now), /ends at 1, and had a record at 1/)
    await log.append(topic, [textRecord('a', 'three')])
    assert.match(await reason(now), /has another record at 1 than before/)
  })

  test('reading from beyond the end is refused with the end of the partition', async () => {
    const { log } = setup()
    const topic = await setup().topic(1)
    await log.append(topic, [textRecord('a', 'one')])
    for (const until of ['end', 'follow'] as const) {
      const read = log.read({ topic, from: new Map([[0, 30]]), until })[Symbol.asyncIterator]()
      await assert.rejects(read.next(), isBeyond(topic))
    }
  })

  test('a poll from beyond the end is refused, however long it may wait', async (t) => {
    const { log } = setup()
    const topic = await setup().topic(1)
    await log.append(topic, [textRecord('a', 'one')])
    const lease = await leaseOf(setup(), t, { topic, group: setup().name('group') })
    lease.seek(30)
    await assert.rejects(lease.poll({ maxRecords: 1, maxWaitMs: 60_000 }), isBeyond(topic))
  })
}

function isBeyond(topic: string) {
  return (error: unknown) => {
    assert.ok(isLoomlogError(error, 'log-replaced'), String(error))
    assert.match(error.message, new RegExp(`^${topic}/0 ends at 1, and this reader has read up to 30: .*Restore`))
    return true
  }
}

/** Creates a topic, also one that was just deleted: a cluster removes it only a moment later. */
async function made(log: Log, name: string, withinMs: number): Promise<void> {
  await eventually(withinMs, async () => {
    await log.createTopic({ name, partitions: 1, retentionMs: null })
    assert.deepEqual(await log.endOffsets(name), [0])
  })
}
