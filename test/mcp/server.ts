/** For tests: a server with keys, in this process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createKey } from '@loomlog/access/key-store'
import type { Scope } from '@loomlog/access/scopes'
import { startServer } from '@loomlog/app/server'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import pino from 'pino'

/** @param settings beside those of the test */
export async function testServer(t: TestContext, settings: { readonly [name: string]: string } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-mcp-'))
  const env = { LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1', LOOMLOG_PAUSE_MS: '1000', ...settings }
  const host = await openHost(configFrom(env))
  const address = { host: '127.0.0.1', port: 0 }
  const { signal } = new AbortController()
  const server = await startServer(host, { address, logger: pino({ level: 'silent' }), signal, onNews() {} })
  t.after(async () => {
    await server.close()
    await host.close()
    await rm(dir, { recursive: true, maxRetries: 3 })
  })
  const keyOf = async (scopes: readonly Scope[], spaces: readonly string[] | null = null) =>
    (await createKey({ tenant: 'acme', scopes, spaces, label: 'test' }, host)).text
  return { url: server.url, keyOf }
}
