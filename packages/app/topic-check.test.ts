import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { catalogue, type TopicSpec, topicSpec } from '@loomlog/topics/catalogue'
import { applyTopics, checkTopics } from './topic-check.ts'

const options = { topics: catalogue, partitions: null, configuredPartitions: 2 }

test('missing topics are created, and a retention that is too short is corrected', async (t) => {
  const log = await freshLog(t)
  await log.createTopic({ name: 'utterances', partitions: 3, retentionMs: 1_000 })
  await log.createTopic({ name: 'facts.abc', partitions: 3, retentionMs: null })
  const wanted = { name: 'utterances', partitions: 3, retentionMs: null }
  const kept = { setting: 'retention', found: '1000 ms', wanted: 'for ever', isSettable: true } as const
  assert.deepEqual(await log.topicDrift([wanted]), [{ topic: 'utterances', ...kept }])
  await applyTopics(options, log)
  assert.deepEqual(await log.topicDrift([wanted]), [])
  const names = (await log.topics()).map(({ name }) => name)
  assert.deepEqual(names, [
    'audit',
    'completions',
    'facts.abc',
    'generations',
    'key-uses',
    'keys',
    'memory-events',
    'parked',
    'recalls',
    'utterances',
    'webhooks',
  ])
  assert.equal((await log.topics()).find(({ name }) => name === 'completions')?.partitions, 3, 'as many as are there')
})

test('another number of partitions is refused with advice, and nothing is changed', async (t) => {
  const log = await freshLog(t)
  await log.createTopic({ name: 'utterances', partitions: 3, retentionMs: 1_000 })
  const before = await log.topics()
  await assert.rejects(applyTopics({ ...options, partitions: 4 }, log), (error) => {
    assert.ok(isLoomlogError(error, 'topic-mismatch'))
    assert.match(error.message, /utterances has 3, not 4/)
    assert.match(error.message, /loomlog log copy/)
    return true
  })
  assert.deepEqual(await log.topics(), before)
})

test("the topics of extensions are checked like loomlog's own", async (t) => {
  const log = await freshLog(t)
  await applyTopics(options, log)
  await log.createTopic({ name: 'promises.abc', partitions: 2, retentionMs: 1_000 })
  const names = async (topics: readonly TopicSpec[]) =>
    (await checkTopics({ ...options, topics }, log)).map(({ topic }) => topic)
  assert.ok(!(await names(catalogue)).includes('promises.abc'))
  const promises = { ...topicSpec('event-links'), name: 'promises' }
  assert.ok((await names([...catalogue, promises])).includes('promises.abc'))
  await applyTopics({ ...options, topics: [...catalogue, promises] }, log)
  assert.deepEqual(await log.topicDrift([{ name: 'promises.abc', partitions: 2, retentionMs: null }]), [])
})

test('a check changes nothing', async (t) => {
  const log = await freshLog(t)
  await checkTopics(options, log)
  assert.deepEqual(await log.topics(), [])
})

async function freshLog(t: { after(done: () => Promise<void>): void }) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-topics-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true, force: true })
  })
  return log
}
