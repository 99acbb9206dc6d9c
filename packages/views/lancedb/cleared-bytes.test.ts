/** The bytes of a cleared space: no file of the table holds them, also after the death of its writer. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { TableChange } from '../change.ts'
import { testRow, testShard, testSpace } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { temporaryFolder } from './fixture.ts'
import { lanceStore } from './store.ts'

const canary = 'kanarienvogel'

async function holders(dir: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && (await readFile(file)).includes(canary)) found.push(file)
  }
  return found
}

const rows = (from: number, text: string): TableChange[] =>
  Array.from({ length: 400 }, (_, at) => ({ kind: 'put', row: testRow(`${text}${at}`, from + at, { text }) }))
const others = (from: number): TableChange[] =>
  Array.from({ length: 4_000 }, (_, at) => ({ kind: 'put', row: testRow(`o${at}`, from + at, { space: 'acme/work' }) }))

test('after a clearing no file holds a word of the space, beside many rows of another one', async (t) => {
  const dir = await temporaryFolder(t)
  const shard = await lanceStore(dir).write(testShard)
  await shard.apply({ table, changes: [...others(0), ...rows(4_000, canary)], watermark: 4_400 })
  await shard.optimize()
  assert.ok((await holders(dir)).length > 0)
  const change: TableChange = { kind: 'clear', space: testSpace, offset: 4_400 }
  await shard.apply({ table, changes: [change, ...rows(4_401, 'sparrow')], watermark: 4_900 })
  assert.deepEqual(await holders(dir), [])
  assert.equal(await shard.count(table, { space: testSpace }), 400)
  assert.equal(await shard.count(table, { space: 'acme/work' }), 4_000)
  await shard.close()
})

const writer = fileURLToPath(new URL('clearing-writer.ts', import.meta.url))

test('a writer that dies between its merge and the erasure leaves the erasure to the next writer', async (t) => {
  const dir = await temporaryFolder(t)
  const first = await lanceStore(dir).write(testShard)
  await first.apply({ table, changes: [...others(0), ...rows(4_000, canary)], watermark: 4_400 })
  await first.close()
  const env = { ...process.env, LOOMLOG_CRASH_AT: 'view.after-merge' }
  const child = spawn(process.execPath, [writer, dir, '4400'], { env, stdio: 'ignore' })
  assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL'])
  assert.ok((await holders(dir)).length > 0, 'an earlier version has the rows')
  const next = await lanceStore(dir).write(testShard)
  assert.equal((await next.watermark(table)).offset, 4_401)
  assert.deepEqual(await holders(dir), [])
  await next.close()
})
