import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import type { Host } from '@loomlog/host/open'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { canonicalDump } from './derived-events.ts'

test('a dump holds any number of events of one stage in one space', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-dump-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  const [topic, events] = ['facts', 150_000]
  await log.createTopic({ name: topic, partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const place = { tenant: 't', space: 's', stage: 'fact-extractor', derivation: 'd1' }
  const value = codec.encode({ type: 'ParkedInputRetried', ...place, input: 'a', attempts: 2, at: 1 })
  const batch = Array.from({ length: 10_000 }, () => ({ key: 't/s', value, timestamp: 1 }))
  for (let appended = 0; appended < events; appended += batch.length) await log.append(topic, batch)
  const serving = { stages: [{ stage: 'fact-extractor', writes: topic }] }
  const lines = await canonicalDump(
    { log, codec, partitions: 1 } as unknown as Host,
    serving as unknown as ServingGeneration,
  )
  assert.equal(lines.length, events)
})
