/** The MCP server of a gateway, asked by the client of the protocol's SDK: the scenario, keys, scopes and spaces. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createKey } from '@loomlog/access/key-store'
import type { Scope } from '@loomlog/access/scopes'
import { startServer } from '@loomlog/app/server'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import pino from 'pino'
import { useMemory } from './scenario.ts'

async function serverWithKeys(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-mcp-'))
  const env = { LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1', LOOMLOG_PAUSE_MS: '1000' }
  const host = await openHost(configFrom(env))
  const keyOf = async (scopes: readonly Scope[], spaces: readonly string[] | null = null) =>
    (await createKey({ tenant: 'acme', scopes, spaces, label: 'test' }, host)).text
  const key = await keyOf(['append', 'recall', 'correct'])
  const address = { host: '127.0.0.1', port: 0 }
  const { signal } = new AbortController()
  const server = await startServer(host, { address, logger: pino({ level: 'silent' }), signal, onNews() {} })
  t.after(async () => {
    await server.close()
    await host.close()
    await rm(dir, { recursive: true, maxRetries: 3 })
  })
  const connected = async (bearer: string | null, path: string) => {
    const client = new Client({ name: 'test', version: '1' })
    const headers = bearer === null ? {} : { authorization: `Bearer ${bearer}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(path, server.url), { requestInit: { headers } }))
    t.after(() => client.close())
    return client
  }
  return { key, keyOf, connected, url: server.url }
}

test('remembers, recalls, corrects and forgets, on a server', async (t) => {
  const { key, connected } = await serverWithKeys(t)
  await useMemory(await connected(key, '/v1/spaces/team/mcp?author=Maya'))
})

test('a key reaches the tools of its scopes, and its spaces alone', async (t) => {
  const { keyOf, connected } = await serverWithKeys(t)
  const reader = await keyOf(['recall'], ['team'])
  const client = await connected(reader, '/v1/spaces/team/mcp')
  const { content, isError } = await client.callTool({
    name: 'remember',
    arguments: { messages: [{ text: 'I row.', speaker: 'Maya' }] },
  })
  assert.ok(isError && /needs the scope append/.test(JSON.stringify(content)), JSON.stringify(content))
  await assert.rejects(connected(reader, '/v1/spaces/other/mcp'))
  await assert.rejects(connected(await keyOf(['append']), '/v1/spaces/team/mcp'))
  await assert.rejects(connected(null, '/v1/spaces/team/mcp'))
})
