import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { discardDifferingShards } from './verification.ts'

test('the shards that were verified are discarded, whichever generation is live by then', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-verification-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  t.after(async () => {
    await host.close()
    await rm(dir, { recursive: true })
  })
  const shards = ['damaged', 'healthy'].map((view) => join(dir, 'views', view, 'p0'))
  for (const shard of shards) await mkdir(shard, { recursive: true })
  const tables = [
    { view: 'damaged', partition: 0, differences: 1 },
    { view: 'healthy', partition: 0, differences: 0 },
  ]
  await discardDifferingShards({ tables }, host)
  assert.deepEqual(shards.map(existsSync), [false, true])
})
