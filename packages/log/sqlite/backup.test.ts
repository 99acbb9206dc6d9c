import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { readAll, text, textRecord } from '../contract/records.ts'
import { openSqliteLog } from './adapter.ts'
import { backupLog, restoreLog } from './backup.ts'

test('a backup taken while a writer appends is a prefix of its log, whole and in order', async (t) => {
  const [dir, into] = [await folder(t), await folder(t)]
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  await log.append(
    'in',
    Array.from({ length: 500 }, (_, n) => textRecord('a', `${n}`)),
  )
  let acknowledged = 500
  let isDone = false
  const writing = (async () => {
    for (; !isDone; acknowledged += 1) await log.append('in', [textRecord('a', `${acknowledged}`)])
  })()
  const check = await backupLog(dir, into)
  isDone = true
  await writing
  const copy = openSqliteLog({ dir: into })
  t.after(() => copy.close())
  const copied = (await readAll(copy, 'in')).map(text)
  assert.ok(copied.length >= 500 && copied.length <= acknowledged, `${copied.length} of ${acknowledged}`)
  assert.deepEqual(
    copied,
    Array.from({ length: copied.length }, (_, n) => `${n}`),
  )
  assert.deepEqual([check.records, check.topics, check.damage], [copied.length, 1, []])
  assert.equal(await copy.identity('in'), await log.identity('in'))
})

test('a restored log is the backup, and the former log is kept under another name', async (t) => {
  const [dir, into] = [await folder(t), await folder(t)]
  await append(dir, 'one')
  await backupLog(dir, into)
  await append(dir, 'two')
  const { former, records } = await restoreLog(into, dir)
  assert.equal(records, 1)
  assert.deepEqual(await valuesIn(dir), ['one'])
  assert.equal(former, join(dir, 'log.db.former-1'))
  assert.ok(existsSync(former))
  assert.deepEqual((await readdir(dir)).sort(), ['log.db', 'log.db.former-1'])
  assert.equal((await restoreLog(into, join(dir, 'elsewhere'))).former, null)
})

test('a log whose restore was killed before the backup took its place is refused, until the restore is repeated', async (t) => {
  const [dir, into] = [await folder(t), await folder(t)]
  await append(dir, 'one')
  await backupLog(dir, into)
  await copyFile(join(into, 'log.db'), join(dir, 'log.db.incoming'))
  await rename(join(dir, 'log.db'), join(dir, 'log.db.former-1'))
  assert.throws(
    () => openSqliteLog({ dir }),
    (error) => isLoomlogError(error, 'log-corrupt') && /missing, and log.db.incoming/.test(error.message),
  )
  await restoreLog(into, dir)
  assert.deepEqual(await valuesIn(dir), ['one'])
})

test('a restore over a log that another process has open is refused, and changes nothing', async (t) => {
  const [dir, into] = [await folder(t), await folder(t)]
  await append(dir, 'one')
  await backupLog(dir, into)
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  await log.append('in', [textRecord('a', 'two')])
  await assert.rejects(restoreLog(into, dir), (error) => isLoomlogError(error, 'group-in-use'))
  await log.append('in', [textRecord('a', 'three')])
  assert.deepEqual((await readAll(log, 'in')).map(text), ['one', 'two', 'three'])
})

test('a damaged backup is refused before anything changes; the backup of a damaged log names the damage', async (t) => {
  const [dir, good, bad] = [await folder(t), await folder(t), await folder(t)]
  await append(dir, 'one')
  await backupLog(dir, good)
  damage(dir)
  const { damage: found } = await backupLog(dir, bad)
  assert.deepEqual(found, ['damaged in the log, in/0@0: its checksum does not match'])
  await assert.rejects(restoreLog(bad, dir), (error) => isLoomlogError(error, 'log-corrupt'))
  await restoreLog(good, dir)
  assert.deepEqual(await valuesIn(dir), ['one'])
})

test('a log that cannot be opened can still be replaced', async (t) => {
  const [dir, into] = [await folder(t), await folder(t)]
  await append(dir, 'one')
  await backupLog(dir, into)
  const file = new DatabaseSync(join(dir, 'log.db'))
  file.exec('update topics set name = 7')
  file.close()
  await restoreLog(into, dir)
  assert.deepEqual(await valuesIn(dir), ['one'])
})

test('a folder that has a log, and one that has no backup, are refused', async (t) => {
  const dir = await folder(t)
  await append(dir, 'one')
  await assert.rejects(backupLog(dir, dir), (error) => isLoomlogError(error, 'config-invalid'))
  await assert.rejects(backupLog(await folder(t), dir), (error) => isLoomlogError(error, 'not-found'))
  await assert.rejects(restoreLog(await folder(t), dir), (error) => isLoomlogError(error, 'not-found'))
})

async function append(dir: string, value: string): Promise<void> {
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  await log.append('in', [textRecord('a', value)])
  await log.close()
}

async function valuesIn(dir: string): Promise<readonly string[]> {
  const log = openSqliteLog({ dir })
  const values = (await readAll(log, 'in')).map(text)
  await log.close()
  return values
}

function damage(dir: string): void {
  const file = new DatabaseSync(join(dir, 'log.db'))
  file.exec(`update records set value = cast('x' as blob)`)
  file.close()
}

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}
