/** Topics: creation, listing, ends, and deletion with everything that belongs to them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { leaseOf } from './groups.ts'
import { eventually, readAll, textRecord, textRecords } from './records.ts'
import { commitCopy } from './roles.ts'
import type { Setup } from './setup.ts'

export function topicsContract(setup: () => Setup): void {
  test('a topic is listed as it was created, and creating it again changes nothing', async () => {
    const { log } = setup()
    const config = { name: setup().name('topic'), partitions: 3, retentionMs: 86_400_000 }
    await log.createTopic(config)
    await log.append(config.name, [textRecord('a', 'kept')])
    await log.createTopic(config)
    const listed = (await log.topics()).filter((topic) => topic.name === config.name)
    assert.deepEqual(listed, [config])
    assert.equal((await log.endOffsets(config.name)).length, 3)
  })

  test('a topic is refused with another number of partitions than it has', async () => {
    const name = await setup().topic(2)
    await assert.rejects(setup().log.createTopic({ name, partitions: 3, retentionMs: null }), (error) =>
      isLoomlogError(error, 'topic-mismatch'),
    )
  })

  test('end offsets lie after the last record, and are zero in an empty partition', async () => {
    const { log } = setup()
    const topic = await setup().topic(2)
    assert.deepEqual(await log.endOffsets(topic), [0, 0])
    const records = ['one', 'two'].map((value) => textRecord(null, value, 1))
    const last = (await log.append(topic, records)).at(-1)?.offset ?? Number.NaN
    assert.deepEqual(await log.endOffsets(topic), [0, last + 1])
  })

  test('a position after the last record is the end, also if an owner committed that record', async (t) => {
    const { log } = setup()
    const [topic, out] = [await setup().topic(1), await setup().topic(1)]
    const lease = await leaseOf(setup(), t, { topic, group: setup().name('group'), log })
    for (let n = 0; n < 3; n++) {
      const outputs = ['a', 'b'].map((key) => ({ topic: out, record: textRecord(key, `${n}`) }))
      await lease.commit({ outputs, state: [], position: 0 })
    }
    const last = (await readAll(log, out)).at(-1)?.offset ?? Number.NaN
    assert.deepEqual(await log.endOffsets(out), [last + 1])
  })

  test('a deleted topic has no records and no positions, and can be deleted again', async (t) => {
    const { log, features } = setup()
    const [topic, out, group] = [await setup().topic(1), await setup().topic(1), setup().name('group')]
    await log.append(topic, textRecords(['a'], 3))
    const position = Promise.withResolvers<number | null>()
    const membership = await log.join({
      group,
      topic,
      sessionMs: features.sessionMs,
      onLease: async (lease) =>
        position.resolve(await commitCopy(lease, out, await lease.poll({ maxRecords: 9, maxWaitMs: 9_000 }))),
      onError: position.reject,
    })
    t.after(() => membership.close())
    assert.ok(await position.promise)
    await membership.close()
    await log.deleteTopic(topic)
    await log.deleteTopic(topic)
    await eventually(features.settleMs, async () => {
      assert.ok(!(await log.topics()).some(({ name }) => name === topic))
      await assert.rejects(log.append(topic, textRecords(['a'], 1)), (error) => isLoomlogError(error, 'topic-unknown'))
    })
    assert.deepEqual(
      (await log.groups()).filter((lag) => lag.topic === topic),
      [],
    )
    await log.createTopic({ name: topic, partitions: 1, retentionMs: null })
    assert.deepEqual(await readAll(log, topic), [])
    assert.deepEqual(await log.endOffsets(topic), [0])
  })
}
