import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { readAll, text, textRecord } from '../contract/records.ts'

import type { Lease, LogRecord } from '../port.ts'
import { unreadableReason } from '../unreadable-value.ts'
import { openSqliteLog } from './adapter.ts'

const values = ['one', 'two', 'three', 'four']

test('a record with a flipped bit is returned as damaged, with its position, and its neighbours are intact', async (t) => {
  for (const column of ['key', 'value', 'timestamp'] as const) {
    const dir = await logWith(t, values)
    const flipped = { key: `'b'`, value: `cast('twO' as blob)`, timestamp: 'timestamp + 1' }[column]
    edit(dir, `update records set ${column} = ${flipped} where offset = 1`)
    const log = opened(t, dir)
    const records = await readAll(log, 'in')
    assert.deepEqual(records.map(shown), [
      'one',
      'damaged in the log, in/0@1: its checksum does not match',
      'three',
      'four',
    ])
    assert.equal(records[1]?.key, null, 'the stored key may be of another tenant')
    await log.close()
  }
})

test('a record that is missing between others, or at the end, is returned as missing', async (t) => {
  const dir = await logWith(t, values)
  edit(dir, 'delete from records where offset in (1, 3)')
  const records = await readAll(opened(t, dir), 'in')
  const missing = (offset: number) => `damaged in the log, in/0@${offset}: the record is missing`
  assert.deepEqual(records.map(shown), ['one', missing(1), 'three', missing(3)])
})

test('a record that was moved to another offset is returned as damaged', async (t) => {
  const dir = await logWith(t, values)
  edit(dir, 'delete from records where offset = 2; update records set offset = 2 where offset = 1')
  const records = await readAll(opened(t, dir), 'in')
  assert.deepEqual(
    records.map(shown).map((each) => /damaged/.test(each)),
    [false, true, true, false],
  )
})

test('a poll returns damaged records as a read does', async (t) => {
  const dir = await logWith(t, values)
  edit(dir, `update records set value = cast('x' as blob) where offset = 0`)
  const polled = Promise.withResolvers<readonly LogRecord[]>()
  const onLease = async (lease: Lease) => polled.resolve(await lease.poll({ maxRecords: 9, maxWaitMs: 0 }))
  await opened(t, dir).join({ group: 'g', topic: 'in', onLease, onError: polled.reject })
  const damage = 'damaged in the log, in/0@0: its checksum does not match'
  assert.deepEqual((await polled.promise).map(shown), [damage, 'two', 'three', 'four'])
})

test('a damaged state record is refused, and the error names its key', async (t) => {
  const dir = await logWith(t, values)
  const log = opened(t, dir)
  const failure = Promise.withResolvers<unknown>()
  const onLease = async (lease: Lease) => {
    await lease.commit({ outputs: [], state: [{ key: 'count', value: Buffer.from('3') }], position: 1 })
    edit(dir, `update state set value = cast('4' as blob)`)
    try {
      failure.resolve(lease.state.get('count'))
    } catch (error) {
      failure.resolve(error)
    }
  }
  await log.join({ group: 'g', topic: 'in', onLease, onError: failure.reject })
  const error = await failure.promise
  assert.ok(isLoomlogError(error, 'log-corrupt'), String(error))
  assert.match(error.message, /state record "count".*damaged.*loomlog restore/)
})

test('damage to topics, ends, positions, schemas or the identity is refused when the log is opened', async (t) => {
  const edits = {
    topics: `update topics set name = 'im'`,
    partitions: 'update partitions set end_offset = 2',
    leases: 'update leases set position = 3',
    schemas: `update schemas set subject = 'other'`,
    identity: `update identity set id = 'other'`,
  }
  for (const [table, sql] of Object.entries(edits)) {
    const dir = await logWith(t, values)
    edit(dir, sql)
    assert.throws(
      () => openSqliteLog({ dir }),
      (error) => isLoomlogError(error, 'log-corrupt') && error.message.includes(`1 rows of ${table}`),
      table,
    )
  }
})

test('a file that is empty or missing is refused if other files were made from the log, and is a new log otherwise', async (t) => {
  const dir = await folder(t)
  await writeFile(join(dir, 'log.db'), '')
  await openSqliteLog({ dir }).close()
  await writeFile(join(dir, 'log.db'), '')
  await writeFile(join(dir, 'completions-index.db'), '')
  assert.throws(() => openSqliteLog({ dir }), /log.db is damaged.*it is empty, and completions-index.db beside it/)
  await rm(join(dir, 'log.db'))
  assert.throws(() => openSqliteLog({ dir }), /log.db is damaged.*it is missing, and completions-index.db beside it/)
  await rm(join(dir, 'completions-index.db'))
  await openSqliteLog({ dir }).close()
})

test('a file without identity and checksums gets both, and keeps its records', async (t) => {
  const dir = await logWith(t, values)
  const tables = ['topics', 'partitions', 'records', 'leases', 'state', 'schemas']
  edit(
    dir,
    `${tables.map((table) => `alter table ${table} drop column checksum;`).join('')} ${beforeTraces} drop table identity; pragma user_version = 1`,
  )
  const log = opened(t, dir)
  assert.deepEqual((await readAll(log, 'in')).map(text), values)
  assert.match(await log.identity('in'), /^[0-9a-f]{16}\/1$/)
  await log.append('in', [textRecord('a', 'five')])
  await log.close()
  edit(dir, `update records set value = cast('x' as blob) where offset = 0`)
  assert.match((await readAll(opened(t, dir), 'in')).map(shown)[0] ?? '', /^damaged/)
})

test('checksums that are missing after an interrupted migration are filled in steps, and no other row is touched', async (t) => {
  const many = Array.from({ length: 25_000 }, (_, n) => `${n}`)
  const dir = await logWith(t, many)
  const [damaged, done] = [11_999, 12_000]
  edit(
    dir,
    `update records set checksum = -1 where offset >= ${done}; ${beforeTraces} pragma user_version = 3;
     update records set value = cast('x' as blob) where offset = ${damaged}`,
  )
  const found = (await readAll(opened(t, dir), 'in')).map(shown)
  assert.match(found[damaged] ?? '', /^damaged in the log, in\/0@11999/)
  assert.deepEqual(found.toSpliced(damaged, 1), many.toSpliced(damaged, 1))
})

test('a file without a column for traces gets one, and keeps its records; a damaged trace is noticed', async (t) => {
  const dir = await logWith(t, values)
  edit(dir, `${beforeTraces} pragma user_version = 4`)
  const log = opened(t, dir)
  assert.deepEqual((await readAll(log, 'in')).map(shown), values)
  await log.append('in', [{ ...textRecord('a', 'five'), traceparent }])
  assert.deepEqual(
    (await readAll(log, 'in')).map((record) => record.traceparent),
    [...values.map(() => undefined), traceparent],
  )
  await log.close()
  edit(dir, `update records set traceparent = null where offset = 4`)
  assert.match((await readAll(opened(t, dir), 'in')).map(shown)[4] ?? '', /^damaged in the log, in\/0@4/)
})

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const beforeTraces = 'drop table log_key; drop table data_keys; alter table records drop column traceparent;'

function shown(record: LogRecord): string {
  return unreadableReason(record.value) ?? text(record)
}

/** A closed log with these records in the topic `in`, a group with a position, and a schema. */
async function logWith(t: TestContext, records: readonly string[]): Promise<string> {
  const dir = await folder(t)
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  await log.append(
    'in',
    records.map((value) => textRecord('a', value)),
  )
  await log.schemas.register('loomlog.Thing', '{"type":"string"}', 'FULL_TRANSITIVE')
  const membership = await log.join({ group: 'old', topic: 'in', onLease: async () => {}, onError: () => {} })
  await membership.close()
  await log.close()
  return dir
}

function opened(t: TestContext, dir: string) {
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  return log
}

/** A write by another program, which updates no checksums. */
function edit(dir: string, sql: string): void {
  const file = new DatabaseSync(join(dir, 'log.db'), { timeout: 5_000 })
  file.exec(sql)
  file.close()
}

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}
