import assert from 'node:assert/strict'
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type ErrorCode, isLoomlogError } from '@loomlog/errors'
import { eventually, readAll, text, textRecord, untilAborted } from '../contract/records.ts'
import type { Lease, Log } from '../port.ts'
import { openSqliteLog } from './adapter.ts'

test('a file of garbage is refused as damaged, and the error names it', async (t) => {
  for (const bytes of [
    Buffer.from('x'),
    Buffer.alloc(10_000, 'garbage '),
    Buffer.from('SQLite format 3\0 but not really'),
  ]) {
    const dir = await folder(t)
    await writeFile(join(dir, 'log.db'), bytes)
    refused(dir, 'log-corrupt', join(dir, 'log.db'))
  }
})

test('a log with a damaged page is refused when it is opened', async (t) => {
  const dir = await folder(t)
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  await log.append(
    'in',
    Array.from({ length: 500 }, (_, n) => textRecord('a', `${n}`.padStart(200))),
  )
  await log.close()
  const file = await open(join(dir, 'log.db'), 'r+')
  await file.write(Buffer.alloc(8_192, 0xff), 0, 8_192, 4_096 * 14)
  await file.close()
  refused(dir, 'log-corrupt', 'log.db')
})

test("another program's SQLite file is refused and not touched", async (t) => {
  const dir = await folder(t)
  const other = new DatabaseSync(join(dir, 'log.db'))
  other.exec('create table theirs (x)')
  refused(dir, 'log-corrupt', 'no loomlog log')
  assert.deepEqual(other.prepare('select name from sqlite_schema').all().length, 1)
  other.close()
})

test('a log written by a newer loomlog is refused', async (t) => {
  const dir = await folder(t)
  await openSqliteLog({ dir }).close()
  const file = new DatabaseSync(join(dir, 'log.db'))
  file.exec('pragma user_version = 99')
  file.close()
  refused(dir, 'config-invalid', 'newer')
})

test('an error names a folder that cannot be created', async (t) => {
  const dir = await folder(t)
  await writeFile(join(dir, 'file'), '')
  refused(join(dir, 'file', 'below'), 'log-unavailable', 'below')
  await mkdir(join(dir, 'log.db'))
  refused(dir, 'log-unavailable', 'log.db')
})

test('a full log refuses appends, keeps acknowledged records, and takes appends again when there is room', async (t) => {
  const dir = await folder(t)
  const small = openSqliteLog({ dir, maxBytes: 300_000 })
  await small.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  let acknowledged = 0
  const fill = async () => {
    for (; acknowledged < 1_000; acknowledged++)
      await small.append('in', [textRecord('a', `${acknowledged}`.padEnd(2_000))])
  }
  await assert.rejects(fill(), (error) => isLoomlogError(error, 'log-full'))
  assert.equal((await readAll(small, 'in')).length, acknowledged)
  await small.close()
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  await log.append('in', [textRecord('a', 'room')])
  assert.equal((await readAll(log, 'in')).length, acknowledged + 1)
})

test('a full log refuses a commit whole, and its lease commits when there is room', async (t) => {
  const dir = await folder(t)
  const small = openSqliteLog({ dir, maxBytes: 200_000 })
  await small.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  const failed = Promise.withResolvers<unknown>()
  const membership = await small.join({
    group: 'g',
    topic: 'in',
    async onLease(lease) {
      const outputs = Array.from({ length: 300 }, () => ({ topic: 'in', record: textRecord('a', 'x'.repeat(1_000)) }))
      const state = [{ key: 'done', value: Buffer.from('yes') }]
      await lease.commit({ outputs, state, position: 1 }).catch(failed.resolve)
      await lease.commit({ outputs: outputs.slice(0, 1), state: [], position: 0 }).catch(failed.reject)
      failed.resolve(lease.state.get('done'))
      await untilAborted(lease.signal)
    },
    onError: failed.reject,
  })
  assert.ok(isLoomlogError(await failed.promise, 'log-full'))
  await membership.close()
  assert.equal((await readAll(small, 'in')).length, 1)
  await small.close()
})

test('simultaneous appends share a transaction, and a refused one does not fail the others', async (t) => {
  const log = openSqliteLog({ dir: await folder(t) })
  t.after(() => log.close())
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  const unplaced = { key: null, value: new Uint8Array(), timestamp: 0 }
  const results = await Promise.allSettled([
    log.append('in', [textRecord('a', 'one')]),
    log.append('in', [textRecord('a', 'lost'), unplaced]),
    log.append('nowhere', [textRecord('a', 'lost')]),
    log.append('in', [textRecord('a', 'two')]),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  const records = await readAll(log, 'in')
  assert.deepEqual(
    records.map((record) => [record.offset, text(record)]),
    [
      [0, 'one'],
      [1, 'two'],
    ],
  )
})

test('calls on a closed log fail as log-unavailable', async (t) => {
  const log = openSqliteLog({ dir: await folder(t) })
  await Promise.all([log.close(), log.close()])
  await assert.rejects(log.append('in', [textRecord('a', 'x')]), (error) => isLoomlogError(error, 'log-unavailable'))
  await assert.rejects(log.topics(), (error) => isLoomlogError(error, 'log-unavailable'))
})

test('timers fire while a tight loop appends, reads and polls', async (t) => {
  const log = openSqliteLog({ dir: await folder(t) })
  t.after(() => log.close())
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  assert.ok((await ticksDuring(() => log.append('in', [textRecord('a', 'x')]))) > 2, 'while appending')
  const read = async () => {
    for await (const _ of log.read({ topic: 'in', until: 'end', maxRecords: 1 }));
  }
  assert.ok((await ticksDuring(read)) > 2, 'while reading')
  const lease = await onlyLease(t, log)
  const poll = async () => {
    lease.seek(0)
    await lease.poll({ maxRecords: 1, maxWaitMs: 0 })
  }
  assert.ok((await ticksDuring(poll)) > 2, 'while polling')
})

test('records beyond their retention are dropped, and offsets continue', async (t) => {
  const dir = await folder(t)
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: 60_000 })
  const recent = (value: string) => ({ ...textRecord('a', value), timestamp: Date.now() })
  await log.append('in', [textRecord('a', 'old'), recent('one')])
  const another = openSqliteLog({ dir })
  await another.append('in', [recent('two')])
  await another.close()
  const kept = await readAll(log, 'in')
  assert.deepEqual(
    kept.map((record) => [record.offset, text(record)]),
    [
      [1, 'one'],
      [2, 'two'],
    ],
  )
})

test('the records of a deleted topic are removed from the file, also those that a killed process left', async (t) => {
  const dir = await folder(t)
  const log = openSqliteLog({ dir })
  const file = new DatabaseSync(join(dir, 'log.db'), { timeout: 5_000 })
  t.after(() => file.close())
  const count = () => file.prepare('select count(*) as records from records').get()?.records
  for (const name of ['in', 'out']) {
    await log.createTopic({ name, partitions: 2, retentionMs: null })
    await log.append(
      name,
      Array.from({ length: 6_000 }, (_, n) => textRecord(`${n % 7}`, 'x')),
    )
  }
  await log.deleteTopic('in')
  assert.equal(count(), 6_000)
  await log.close()
  file.exec(`insert into doomed_topics select id from topics where name = 'out'; delete from topics where name = 'out'`)
  const again = openSqliteLog({ dir })
  t.after(() => again.close())
  await eventually(20_000, () => assert.equal(count(), 0))
})

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

/** Repeats the work for 100 ms, and counts how often a timer of 1 ms fires meanwhile. */
async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 1)
  for (const end = performance.now() + 100; performance.now() < end; ) await work()
  clearInterval(timer)
  return ticks
}

/** The lease of the only partition of `in`, held until the test ends. */
async function onlyLease(t: TestContext, log: Log): Promise<Lease> {
  const taken = Promise.withResolvers<Lease>()
  const onLease = (lease: Lease) => {
    taken.resolve(lease)
    return untilAborted(lease.signal)
  }
  await log.join({ group: 'g', topic: 'in', onLease, onError: taken.reject })
  t.after(() => log.close())
  return taken.promise
}

function refused(dir: string, code: ErrorCode, named: string): void {
  assert.throws(
    () => openSqliteLog({ dir }),
    (error) => {
      assert.ok(isLoomlogError(error, code), String(error))
      assert.ok(error.message.includes(named), error.message)
      return true
    },
  )
}
