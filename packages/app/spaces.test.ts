import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { spacesWithUtterances } from './spaces.ts'

test('the list of spaces ends with the reason of its signal, and is never a part of the spaces', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-spaces-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  await log.append('utterances', [{ key: 'acme/home', value: Buffer.from('x'), timestamp: 0 }])
  const host = { log, partitions: 1 }
  assert.deepEqual(await spacesWithUtterances(host, new AbortController().signal), ['acme/home'])
  const late = new Error('too late')
  await assert.rejects(spacesWithUtterances(host, AbortSignal.abort(late)), late)
})
