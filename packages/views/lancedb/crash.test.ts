import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testShard, testSpace } from '../contract/setup.ts'
import { facts } from '../tables/facts.ts'
import { temporaryFolder } from './fixture.ts'
import { lanceStore } from './store.ts'

const writer = fileURLToPath(new URL('crash-writer.ts', import.meta.url))
const end = 500
const kills = 4

/**
 * Runs a writer, kills it `afterMs` after it began to apply (unless null), and returns the last watermark it reported.
 */
async function runWriter(views: string, afterMs: number | null): Promise<number> {
  const child = spawn(process.execPath, [writer, views, String(end)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    if (output === '' && afterMs !== null) setTimeout(() => child.kill('SIGKILL'), afterMs)
    output += chunk
  })
  await once(child, 'close')
  return Number(output.match(/(\d+)\n(?!.*\n)/)?.[1] ?? 0)
}

test('a writer that is killed again and again resumes at the watermark: nothing missing, doubled or ahead', async (t) => {
  const views = await temporaryFolder(t)
  for (let kill = 0; kill < kills; kill += 1) {
    const reported = await runWriter(views, 40 + Math.random() * 160)
    const shard = await lanceStore(views).write(testShard)
    const { offset } = await shard.watermark(facts)
    const rows = await shard.scan(facts, { space: testSpace, limit: end * 2 })
    await shard.close()
    assert.ok(offset >= reported, `the watermark ${offset} is behind the acknowledged ${reported}`)
    assert.deepEqual(
      rows.map((row) => row.offset),
      Array.from({ length: offset }, (_, index) => index),
    )
  }
  await runWriter(views, null)
  const shard = await lanceStore(views).write(testShard)
  const rows = await shard.scan(facts, { space: testSpace, limit: end * 2 })
  await shard.close()
  assert.deepEqual(
    rows.map((row) => row.id),
    Array.from({ length: end }, (_, index) => `r${index}`),
  )
})
