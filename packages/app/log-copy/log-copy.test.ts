import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { partitionOf } from '@loomlog/log/partition'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { appendMisplaced } from '@loomlog/log/sqlite-misplaced-record'
import { copyLog } from './log-copy.ts'

test('a target with other records in any topic is refused before the first append', async (t) => {
  const [from, to] = [await folder(t), await folder(t)]
  await append(from, { utterances: ['said'], generations: ['theirs'] })
  await append(to, { generations: ['its own'] })
  await assert.rejects(copy(from, to), (error) => isLoomlogError(error, 'input-invalid'))
  assert.deepEqual(await topicsIn(to), ['generations'])
})

test('a copy resumes where all topics are the beginning of their originals', async (t) => {
  const [from, to] = [await folder(t), await folder(t)]
  await append(from, { utterances: ['said'], generations: ['first'] })
  await copy(from, to)
  await append(from, { generations: ['second'] })
  assert.deepEqual(await copy(from, to), [
    { topic: 'utterances', records: 1, before: 1, misplaced: 0 },
    { topic: 'generations', records: 2, before: 1, misplaced: 0 },
  ])
})

test('a record of a foreign partitioner is left out; in a widened topic every record is copied', async (t) => {
  for (const [others, expected] of [
    [2, { topic: 'utterances', records: 0, before: 0, misplaced: 1 }],
    [1, { topic: 'utterances', records: 1, before: 0, misplaced: 0 }],
  ] as const) {
    const [from, to] = [await folder(t), await folder(t)]
    const log = openSqliteLog({ dir: from })
    await log.createTopic({ name: 'utterances', partitions: 2, retentionMs: null })
    await log.createTopic({ name: 'facts.one', partitions: others, retentionMs: null })
    const place = { topic: 'utterances', partition: 1 - partitionOf('t/s', 2) }
    await appendMisplaced({ log, dir: from }, place, { key: 't/s', value: Buffer.from('said'), timestamp: 1 })
    await log.close()
    assert.deepEqual(await copy(from, to), [expected])
  }
})

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-copy-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function append(dir: string, topics: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const log = openSqliteLog({ dir })
  for (const [name, values] of Object.entries(topics)) {
    await log.createTopic({ name, partitions: 1, retentionMs: null })
    await log.append(
      name,
      values.map((value) => ({ key: 't/s', value: Buffer.from(value), timestamp: 1 })),
    )
  }
  await log.close()
}

async function topicsIn(dir: string): Promise<readonly string[]> {
  const log = openSqliteLog({ dir })
  const names = (await log.topics()).map(({ name }) => name)
  await log.close()
  return names
}

function copy(from: string, to: string): ReturnType<typeof copyLog> {
  const config = (dir: string) => configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' })
  return copyLog(config(from), config(to), () => {})
}
