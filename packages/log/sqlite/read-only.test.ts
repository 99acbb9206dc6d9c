/**
 * A log in a folder that can't be written. Root may write anywhere, so root's reader is a child process of another
 * user.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { textRecord } from '../contract/records.ts'
import { openSqliteLog } from './adapter.ts'

const nobody = 65_534
const otherUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
const adapter = new URL('adapter.ts', import.meta.url).href

test('a log in a read-only folder is read, refuses writes, and gets no files beside it', async (t) => {
  const dir = await folder(t)
  const log = await filled(dir)
  await log.close()
  await readOnly(dir)
  assert.deepEqual(await read(dir), { records: 3, created: 'yes', append: 'log-read-only' })
  assert.deepEqual(await readdir(dir), ['log.db'])
})

test('commits in the write-ahead log are read too', async (t) => {
  const [dir, copy] = [await folder(t), await folder(t)]
  const log = await filled(dir)
  t.after(() => log.close())
  for (const name of await readdir(dir)) await copyFile(join(dir, name), join(copy, name))
  await readOnly(copy)
  assert.deepEqual(await read(copy), { records: 3, created: 'yes', append: 'log-read-only' })
})

test('a write-ahead log without its index is refused, with advice', async (t) => {
  const [dir, copy] = [await folder(t), await folder(t)]
  const log = await filled(dir)
  t.after(() => log.close())
  for (const name of ['log.db', 'log.db-wal']) await copyFile(join(dir, name), join(copy, name))
  await readOnly(copy)
  await assert.rejects(read(copy), /write-ahead log.*Copy its folder.*log-read-only/s)
})

async function filled(dir: string) {
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  await log.append(
    'in',
    ['one', 'two', 'three'].map((value) => textRecord('a', value)),
  )
  return log
}

async function read(dir: string): Promise<unknown> {
  const program = `
    import { openSqliteLog } from ${JSON.stringify(adapter)}
    const log = openSqliteLog({ dir: ${JSON.stringify(dir)} })
    let records = 0
    for await (const batch of log.read({ topic: 'in', until: 'end' })) records += batch.length
    await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
    const append = await log.append('in', [{ key: 'a', value: Buffer.from('x'), timestamp: 0 }]).catch((error) => error.code)
    await log.close()
    console.log(JSON.stringify({ records, created: 'yes', append }))`
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], otherUser)
  return JSON.parse(ran.stdout)
}

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-'))
  t.after(async () => {
    await chmod(dir, 0o755)
    await rm(dir, { recursive: true })
  })
  return dir
}

async function readOnly(dir: string): Promise<void> {
  for (const name of await readdir(dir)) await chmod(join(dir, name), 0o444)
  await chmod(dir, 0o555)
}
