/** The bytes of an encrypted log on the disk; and keys that are destroyed, lost, wrong or replaced. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Lease, Log, LogRecord } from '../port.ts'
import { openSqliteLog } from '../sqlite/adapter.ts'
import { DatabaseSync } from '../sqlite/node-sqlite.ts'
import { unreadableReason } from '../unreadable-value.ts'
import { type KeyEncryption, localKey } from './key-encryption.ts'
import { logKeysOf, openSealed } from './open.ts'

const key = localKey(Buffer.alloc(32, 'one'))
const another = localKey(Buffer.alloc(32, 'another'))
const canary = 'canary-of-a-person'
/** Text in Confluent wire format. */
const framedText = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, 0, 99]), Buffer.from(text)])
const textOf = ({ value }: LogRecord) => Buffer.from(value.subarray(5)).toString()

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-sealed-'))
  t.after(() => rmSync(dir, { recursive: true }))
  return dir
}

async function opened(t: TestContext, dir: string, by: KeyEncryption | null = key, ofNewLogs: 'on' | 'off' = 'on') {
  const log = await openSealed(openSqliteLog({ dir }), { ofNewLogs, keyEncryption: async () => by })
  t.after(() => log.close())
  return log
}

async function withTopic(t: TestContext, dir: string) {
  const log = await opened(t, dir)
  await log.createTopic({ name: 'words', partitions: 1, retentionMs: null })
  return log
}

function record(space: string | null, text: string) {
  return { key: space, value: framedText(text), timestamp: 1, ...(space === null && { partition: 0 }) }
}

async function read(log: Log): Promise<readonly LogRecord[]> {
  const found: LogRecord[] = []
  for await (const batch of log.read({ topic: 'words', until: 'end' })) found.push(...batch)
  return found
}

/** Runs `work` with the lease of the one partition. */
async function leased(log: Log, work: (lease: Lease) => Promise<void>): Promise<void> {
  const done = Promise.withResolvers<void>()
  const membership = await log.join({
    group: 'readers',
    topic: 'words',
    onLease: (lease) => work(lease).then(done.resolve, done.reject),
    onError: done.reject,
  })
  await done.promise
  await membership.close()
}

function bytesOf(dir: string): string {
  return readdirSync(dir)
    .map((name) => readFileSync(join(dir, name)).toString('latin1'))
    .join('\n')
}

test('no word of a record or of state, and no state key, is on the disk', async (t) => {
  const dir = folder(t)
  const log = await withTopic(t, dir)
  await log.append('words', [record('acme/maya', canary), record(null, canary)])
  await leased(log, async (lease) => {
    const [first] = await lease.poll({ maxRecords: 1, maxWaitMs: 1_000 })
    assert.equal(first && textOf(first), canary)
    const outputs = [{ topic: 'words', record: record('acme/maya', `${canary} 2`) }]
    const state = [{ key: `lane/${canary}/${canary}`, value: Buffer.from(canary) }]
    await lease.commit({ outputs, state, position: 1 })
    assert.deepEqual(lease.state.range(`lane/${canary}/`, 9), [[`lane/${canary}/${canary}`, Buffer.from(canary)]])
  })
  assert.deepEqual((await read(log)).map(textOf), [canary, canary, `${canary} 2`])
  assert.ok(!bytesOf(dir).includes(canary))
  await log.close()
  assert.ok(!bytesOf(dir).includes(canary))
})

test('a range of state is in the order of its plain keys, and `some` has any of them', async (t) => {
  const log = await withTopic(t, folder(t))
  const keys = ['a/10', 'a/2', 'a/ｆ', 'a/🧵', 'a', 'ab/1', 'b/1']
  await leased(log, async (lease) => {
    await lease.commit({ outputs: [], state: keys.map((key) => ({ key, value: Buffer.from(key) })), position: 0 })
    const found = (prefix: string, limit = 9) => lease.state.range(prefix, limit).map(([key]) => key)
    assert.deepEqual(found('a/'), ['a/10', 'a/2', 'a/ｆ', 'a/🧵'])
    assert.deepEqual(found('a/', 2), ['a/10', 'a/2'])
    assert.deepEqual(found('a'), ['a', 'a/10', 'a/2', 'a/ｆ', 'a/🧵', 'ab/1'])
    assert.equal(found('').length, keys.length)
    assert.equal(lease.state.some('a/', 3).length, 3)
    assert.deepEqual([...lease.state.getMany(['a/2', 'none'])], [['a/2', Buffer.from('a/2')]])
  })
})

test('records of a destroyed key are left out of every read, those of other spaces stay', async (t) => {
  const dir = folder(t)
  const [log, reader] = [await withTopic(t, dir), await opened(t, dir)]
  await log.append('words', [record('acme/maya', 'before'), record('acme/ben', 'other')])
  assert.equal((await read(reader)).length, 2)
  await log.sealing?.rotate('acme/maya')
  await log.append('words', [record('acme/maya', 'after')])
  assert.deepEqual((await read(log)).map(textOf), ['before', 'other', 'after'])
  const outdated = await log.sealing?.outdated('acme/maya', 'words', new Map([[0, 0]]))
  assert.deepEqual(outdated?.map(textOf), ['before'])
  assert.equal(await log.sealing?.destroyRetired('acme/maya'), 1)
  assert.deepEqual((await read(log)).map(textOf), ['other', 'after'])
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  await reader.append('words', [record('acme/maya', 'of the other process')])
  assert.deepEqual((await read(reader)).map(textOf), ['other', 'after', 'of the other process'])
  await leased(reader, async (lease) => {
    const polled = await lease.poll({ maxRecords: 9, maxWaitMs: 100 })
    assert.deepEqual(polled.map(textOf), ['other', 'after', 'of the other process'])
  })
})

test('no byte of a destroyed key is left in the files, of the first one or of later ones', async (t) => {
  const dir = folder(t)
  const raw = openSqliteLog({ dir })
  const log = await openSealed(raw, { ofNewLogs: 'on', keyEncryption: async () => key })
  t.after(() => log.close())
  const spaces = Array.from({ length: 90 }, (_, at) => `acme/space-${at}`)
  for (const space of spaces) await log.sealing?.ready([space])
  for (const space of [spaces[3], spaces[40], spaces[88]] as string[]) {
    const [former] = raw.keys.ofScope(space)
    const bytes = Buffer.from(former?.encrypted ?? []).toString('latin1')
    assert.ok(bytesOf(dir).includes(bytes), 'the search finds a key that is there')
    await log.sealing?.rotate(space)
    await log.sealing?.destroyRetired(space)
    assert.ok(!bytesOf(dir).includes(bytes.slice(0, 24)), `the begin of ${space}`)
    assert.ok(!bytesOf(dir).includes(bytes.slice(-24)), `the end of ${space}`)
  }
})

test('a lost key concerns its space alone: its records are read as unreadable, with the reason', async (t) => {
  const dir = folder(t)
  const log = await withTopic(t, dir)
  await log.append('words', [record('acme/maya', 'lost'), record('acme/ben', 'kept')])
  await log.close()
  const file = new DatabaseSync(join(dir, 'log.db'))
  file.exec(`delete from data_keys where scope = 'acme/maya'`)
  file.close()
  const [lost, kept] = await read(await opened(t, dir))
  assert.match((lost && unreadableReason(lost.value)) ?? '', /data key \S+ of acme\/maya is not in the log's keys/)
  assert.equal(kept && textOf(kept), 'kept')
})

test('a record that is moved to another space, changed, or written in plain text is unreadable', async (t) => {
  const dir = folder(t)
  const log = await withTopic(t, dir)
  await log.append('words', [record('acme/maya', 'moved'), record('acme/ben', 'kept')])
  const raw = openSqliteLog({ dir })
  const [stored] = await read(raw)
  assert.ok(stored)
  const changed = Buffer.from(stored.value)
  changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1
  await raw.append('words', [
    { ...stored, key: 'acme/ben' },
    { ...stored, value: changed },
    record('acme/ben', 'plain'),
  ])
  await raw.close()
  const reasons = (await read(log)).slice(2).map(({ value }) => unreadableReason(value))
  assert.match(reasons[0] ?? '', /damaged, or were moved/)
  assert.match(reasons[1] ?? '', /damaged, or were moved/)
  assert.match(reasons[2] ?? '', /not encrypted/)
})

test('a wrong or missing key-encryption key is refused, and names the one that is needed', async (t) => {
  const dir = folder(t)
  await (await withTopic(t, dir)).close()
  await assert.rejects(opened(t, dir, another), { code: 'key-unavailable', message: new RegExp(key.id) })
  await assert.rejects(opened(t, dir, null), { code: 'key-unavailable', message: new RegExp(key.id) })
  const liar = { ...another, id: key.id }
  await assert.rejects(opened(t, dir, liar), { code: 'key-unavailable', message: /could not decrypt/ })
})

test('another key-encryption key takes over, and the former one is of no use', async (t) => {
  const dir = folder(t)
  const log = await withTopic(t, dir)
  await log.append('words', [record('acme/maya', 'kept')])
  await log.close()
  const raw = openSqliteLog({ dir })
  const logKeys = await logKeysOf(raw, { ofNewLogs: 'off', keyEncryption: async () => key })
  await logKeys?.encryptLogKeyBy(another)
  await raw.close()
  await assert.rejects(opened(t, dir, key), { code: 'key-unavailable' })
  assert.deepEqual((await read(await opened(t, dir, another))).map(textOf), ['kept'])
})

test('a plain log stays plain, and an encrypted one encrypted', async (t) => {
  const dir = folder(t)
  const log = await opened(t, dir, key, 'off')
  await log.createTopic({ name: 'words', partitions: 1, retentionMs: null })
  await log.append('words', [record('acme/maya', canary)])
  await log.close()
  const again = await opened(t, dir, key, 'on')
  assert.equal(again.sealing, null)
  assert.ok(bytesOf(dir).includes(canary))
  const encrypted = folder(t)
  await (await withTopic(t, encrypted)).close()
  assert.notEqual((await opened(t, encrypted, key, 'off')).sealing, null)
})

test('two processes that begin a log at once share its keys', async (t) => {
  const dir = folder(t)
  const logs = await Promise.all([opened(t, dir), opened(t, dir), opened(t, dir)])
  await logs[0]?.createTopic({ name: 'words', partitions: 1, retentionMs: null })
  await Promise.all(logs.map((log, at) => log.append('words', [record('acme/maya', `${at}`)])))
  for (const log of logs) assert.deepEqual((await read(log)).map(textOf).sort(), ['0', '1', '2'])
})

test('a record of the largest size fits', async (t) => {
  const log = await withTopic(t, folder(t))
  await log.append('words', [record('acme/maya', 'x'.repeat(1_000_000 - 5))])
  await assert.rejects(log.append('words', [record('acme/maya', 'x'.repeat(1_000_000))]), { code: 'record-too-large' })
})

test('a key-encryption key that can not decrypt is refused, and nothing is changed', async (t) => {
  const dir = folder(t)
  await (await withTopic(t, dir)).close()
  const raw = openSqliteLog({ dir })
  const logKeys = await logKeysOf(raw, { ofNewLogs: 'off', keyEncryption: async () => key })
  const mute = { ...another, decrypt: () => Promise.reject(new Error('AccessDenied')) }
  await assert.rejects(async () => logKeys?.encryptLogKeyBy(mute), { code: 'key-unavailable', message: /AccessDenied/ })
  await raw.close()
  await (await opened(t, dir, key)).close()
})

test('a state key of many parts is stored within the limit', async (t) => {
  const log = await withTopic(t, folder(t))
  const [long, other] = ['a/'.repeat(400), `${'a/'.repeat(399)}b`]
  await leased(log, async (lease) => {
    const value = Buffer.alloc(990_000)
    await lease.commit({ outputs: [], state: [long, other].map((key) => ({ key, value })), position: 0 })
    assert.deepEqual(
      lease.state.range('a/'.repeat(399), 9).map(([key]) => key),
      [long, other],
    )
  })
})
