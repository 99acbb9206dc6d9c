import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import pino from 'pino'
import { startServer } from './server.ts'

test('over HTTP, the status names no tenant and no space, and the usage only those of its caller', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-status-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  for (const tenant of ['acme', 'rival']) await host.completions.record(`${tenant}/merger`, answerOf(tenant))
  const { signal } = new AbortController()
  const options = { address: { host: '127.0.0.1', port: 0 }, logger: pino({ level: 'silent' }), signal, onNews() {} }
  const server = await startServer(host, options)
  t.after(async () => {
    await server.close()
    await host.close()
    await rm(dir, { recursive: true })
  })
  const body = async (path: string) =>
    (await fetch(`${server.url}${path}`, { headers: { 'x-loomlog-tenant': 'acme' } })).text()
  const status = await body('/v1/status')
  assert.match(status, /"stages":/)
  assert.doesNotMatch(status, /acme|rival|merger/)
  const usage = await body('/v1/usage')
  assert.match(usage, /"tenant":"acme","space":"merger"/)
  assert.doesNotMatch(usage, /rival/)
})

function answerOf(tenant: string): AnswerRecorded {
  const place = { tenant, space: 'merger', task: 'judge', model: 'toy', stage: 'topic-loom', prompt: 'p1' }
  const counts = { attempts: 1, calls: 1, inputTokens: 100, outputTokens: 7 }
  const answer = { answer: 'yes', vector: null, none: null, since: 0, keyId: null }
  return { type: 'AnswerRecorded', key: tenant, ...place, ...answer, ...counts }
}
