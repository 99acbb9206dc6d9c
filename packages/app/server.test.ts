import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ErrorCode, LoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import type { JoinOptions } from '@loomlog/log/port'
import pino from 'pino'
import { eventually } from '../../test/eventually.ts'
import { startServer } from './server.ts'

/** A server on a log whose leases of one group fail as soon as they are taken. */
async function failing(t: TestContext, { group, code }: { readonly group: string; readonly code: ErrorCode }) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-server-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  let failures = 0
  const fail = async () => {
    failures += 1
    throw new LoomlogError(code, `${group} fails`)
  }
  const failingJoin = (options: JoinOptions) =>
    host.log.join(options.group.startsWith(group) ? { ...options, onLease: fail } : options)
  const server = await startServer(
    { ...host, log: { ...host.log, join: failingJoin } },
    {
      address: { host: '127.0.0.1', port: 0 },
      logger: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      onNews() {},
    },
  )
  t.after(async () => {
    await server.close()
    await host.close()
    await rm(dir, { recursive: true })
  })
  await eventually(async () => assert.ok(failures > 0))
  return server
}

for (const group of ['topic-loom', 'publisher', 'webhooks', 'quiet-spaces']) {
  test(`a permanent error of ${group} ends the server`, async (t) => {
    const { failed } = await failing(t, { group, code: 'log-corrupt' })
    await eventually(async () => assert.ok(failed.aborted))
    assert.equal(failed.reason.message, `${group} fails`)
  })
}

test('a temporary error of a part is a condition, and the server stays', async (t) => {
  const { failed, url } = await failing(t, { group: 'publisher', code: 'index-unavailable' })
  await eventually(async () => {
    const health = await (await fetch(`${url}/healthz`)).text()
    assert.match(health, /failing index-unavailable/)
  })
  assert.equal(failed.aborted, false)
})
