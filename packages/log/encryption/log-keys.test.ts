/** Limits of the keys in memory, and the names that stand for text. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSqliteLog } from '../sqlite/adapter.ts'
import { localKey } from './key-encryption.ts'
import { LogKeys } from './log-keys.ts'

const by = localKey(Buffer.alloc(32, 'one'))
const plain = Buffer.from('plain')

async function store(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-keys-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    rmSync(dir, { recursive: true })
  })
  await LogKeys.create(log.keys, by)
  return log.keys
}

test('state is sealed with another key of the log after as many seals as one may have', async (t) => {
  const keys = await store(t)
  const logKeys = await LogKeys.open(keys, by, 3)
  assert.ok(logKeys)
  const sealed: Buffer[] = []
  for (let at = 0; at < 7; at += 1) {
    await logKeys.ready([null])
    sealed.push(logKeys.seal(null, plain))
  }
  assert.equal(keys.ofScope('').length, 3)
  assert.deepEqual(
    sealed.map((bytes) => logKeys.open(null, bytes)),
    sealed.map(() => plain),
  )
  assert.equal(logKeys.isNewest(null, sealed.at(-1) ?? plain), true)
  assert.equal(logKeys.isNewest(null, sealed[0] ?? plain), false)
})

test('the name of a text is the same in every process of the log, and another in another log', async (t) => {
  const keys = await store(t)
  const [one, same, other] = await Promise.all([keys, keys, await store(t)].map((each) => LogKeys.open(each, by)))
  assert.equal(one?.name('Maya'), same?.name('Maya'))
  assert.notEqual(one?.name('Maya'), other?.name('Maya'))
  assert.notEqual(one?.name('Maya'), one?.name('maya'))
  assert.match(one?.name('Maya') ?? '', /^[\w-]{22}$/)
})
