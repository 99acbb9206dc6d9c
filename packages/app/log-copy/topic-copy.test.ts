import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Log, LogRecord, NewRecord } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { schemaIdTranslator } from './schema-ids.ts'
import { type CopiedTopic, checkTarget, copyTopic, type TopicToCopy } from './topic-copy.ts'

const topic = 'utterances'
const schemaText = '{"type":"record","name":"Said","namespace":"x","fields":[]}'

test('every record arrives once, in the order of its key, and an interrupted copy resumes', async (t) => {
  const [from, to] = [await freshLog(t, 3), await freshLog(t, 2)]
  const id = await from.schemas.register('x.Said', schemaText, 'FULL_TRANSITIVE')
  await from.append(
    topic,
    Array.from({ length: 20 }, (_, n) => said(`t/s${n % 5}`, id, n)),
  )
  await copy(from, to)
  await from.append(topic, [said('t/s1', id, 99)])
  const again = await copy(from, to)
  assert.deepEqual(again, { topic, records: 21, before: 20, misplaced: 0 })
  assert.deepEqual(await bodiesByKey(to), await bodiesByKey(from))
})

test('records get the target’s schema ids, and an unknown schema stays unknown', async (t) => {
  const [from, to] = [await freshLog(t, 1), await freshLog(t, 1)]
  await to.schemas.register('x.Other', schemaText.replace('Said', 'Other'), 'FULL_TRANSITIVE')
  const id = await from.schemas.register('x.Said', schemaText, 'FULL_TRANSITIVE')
  const garbage = { key: 't/s', value: Buffer.from('garbage'), timestamp: 5 }
  await from.append(topic, [said('t/s', id, 1), said('t/s', 4_711, 2), garbage])
  await copy(from, to)
  const values = (await all(to)).map(({ value }) => Buffer.from(value))
  assert.equal(await to.schemas.schema(values[0]?.readInt32BE(1) ?? 0), schemaText)
  await assert.rejects(to.schemas.schema(values[1]?.readInt32BE(1) ?? 1), (error) =>
    isLoomlogError(error, 'schema-unknown'),
  )
  assert.equal(String(values[2]), 'garbage')
})

test('a target with other records is refused', async (t) => {
  const [from, to] = [await freshLog(t, 1), await freshLog(t, 1)]
  await from.append(topic, [said('t/s', 4_711, 1)])
  await to.append(topic, [said('t/other', 4_711, 1)])
  const copying = copy(from, to)
  await assert.rejects(copying, (error) => isLoomlogError(error, 'input-invalid') && error.message.includes('t/other'))
  assert.deepEqual(
    (await all(to)).map(({ key }) => key),
    ['t/other'],
    'nothing was appended',
  )
})

test('a record that differs in the target is found', async (t) => {
  const [from, to] = [await freshLog(t, 1), await freshLog(t, 1)]
  await from.append(topic, [said('t/s', 4_711, 1), said('t/s', 4_711, 2)])
  const damaging: Log = {
    ...to,
    append: (name, records) =>
      to.append(
        name,
        records.map((record, at) => (at === 1 ? said('t/s', 0, 3) : record)),
      ),
  }
  const copying = copy(from, damaging)
  await assert.rejects(copying, (error) => isLoomlogError(error, 'log-corrupt') && error.message.includes('t/s differ'))
})

test('records older than the retention of their topic are not copied', async (t) => {
  const [from, to] = [await freshLog(t, 1), await freshLog(t, 1)]
  await from.append(topic, [said('t/s', 4_711, 1), said('t/s', 4_711, 50)])
  const copied = await copy(from, to, { keptFrom: 1_050 })
  assert.equal(copied.records, 1)
})

test('a copy resumes after its records have passed the retention of their topic', async (t) => {
  const [from, to] = [await freshLog(t, 1), await freshLog(t, 1)]
  await from.append(topic, [said('t/s', 4_711, 1), said('t/s', 4_711, 50)])
  await copy(from, to)
  await from.append(topic, [said('t/s', 4_711, 51)])
  assert.deepEqual(await copy(from, to, { keptFrom: 1_050 }), { topic, records: 2, before: 1, misplaced: 0 })
  assert.equal((await all(to)).length, 3)
})

test('a record in a wrong partition is parked in the source, so it is counted and not copied, also by a resumed copy', async (t) => {
  const [from, to] = [await freshLog(t, 3), await freshLog(t, 3)]
  await from.append(topic, [said('t/s', 4_711, 1), said('t/s', 4_711, 2)])
  // As a foreign producer with another partitioner writes it.
  const misplacing: Log = {
    ...from,
    async *read(options) {
      for await (const records of from.read(options))
        yield records.map((each) =>
          each.timestamp === 1_002 ? { ...each, partition: (each.partition + 1) % 3 } : each,
        )
    },
  }
  assert.deepEqual(await copy(misplacing, to, { partitions: 3 }), { topic, records: 1, before: 0, misplaced: 1 })
  assert.deepEqual(await copy(misplacing, to, { partitions: 3 }), { topic, records: 1, before: 1, misplaced: 1 })
  assert.deepEqual(
    (await all(to)).map(({ timestamp }) => timestamp),
    [1_001],
  )
})

async function copy(from: Log, to: Log, more: Omit<TopicToCopy, 'topic'> = {}): Promise<CopiedTopic> {
  const pair = { from, to, translate: schemaIdTranslator(from, to) }
  return copyTopic({ topic, ...more }, await checkTarget({ topic, ...more }, pair), pair)
}

function said(key: string, schemaId: number, n: number): NewRecord {
  const value = Buffer.alloc(6)
  value.writeInt32BE(schemaId, 1)
  value.writeUInt8(n, 5)
  return { key, value, timestamp: 1_000 + n }
}

async function freshLog(t: TestContext, partitions: number): Promise<Log> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-copy-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true, force: true })
  })
  await log.createTopic({ name: topic, partitions, retentionMs: null })
  return log
}

async function all(log: Log): Promise<readonly LogRecord[]> {
  const found: LogRecord[] = []
  for await (const records of log.read({ topic, until: 'end' })) found.push(...records)
  return found
}

async function bodiesByKey(log: Log): Promise<Record<string, unknown>> {
  const byKey = Map.groupBy(await all(log), ({ key }) => key ?? '')
  const bodies = [...byKey].map(([key, records]) => [
    key,
    records.map(({ value, timestamp }) => [timestamp, [...value.subarray(5)]]),
  ])
  return Object.fromEntries(bodies.sort())
}
