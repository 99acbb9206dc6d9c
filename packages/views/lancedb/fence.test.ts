import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testRow, testShard, testSpace } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { temporaryFolder } from './fixture.ts'
import { lanceStore } from './store.ts'

test('a stopped process whose shard was taken over is fenced when it resumes', async (t) => {
  const views = await temporaryFolder(t)
  const script = fileURLToPath(new URL('crash-writer.ts', import.meta.url))
  const zombie = spawn(process.execPath, [script, views, '3000'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaint = ''
  zombie.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  await once(zombie.stdout, 'data')
  zombie.kill('SIGSTOP')
  const owner = await lanceStore(views).write(testShard)
  const from = (await owner.watermark(table)).offset
  const row = testRow('owner', from)
  await owner.apply({ table, changes: [{ kind: 'put', row }], watermark: from + 1 })
  zombie.kill('SIGCONT')
  const [code] = await once(zombie, 'close')
  assert.equal(code, 1)
  assert.match(complaint, /code: 'fenced'/)
  const rows = await owner.scan(table, { space: testSpace, limit: 99_999 })
  assert.deepEqual(
    rows.map((row) => row.offset),
    Array.from({ length: from + 1 }, (_, index) => index),
  )
  assert.equal(rows.at(-1)?.id, 'owner')
  await owner.close()
})
