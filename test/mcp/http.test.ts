/** The MCP server of a gateway, asked by the client of the protocol's SDK: the scenario, keys, scopes and spaces. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { useMemory } from './scenario.ts'
import { testServer } from './server.ts'

async function connected(t: TestContext, url: string, path: string, key: string | null): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = key === null ? {} : { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }))
  t.after(() => client.close())
  return client
}

test('remembers, recalls, corrects and forgets, on a server', async (t) => {
  const { url, keyOf } = await testServer(t)
  const key = await keyOf(['append', 'recall', 'correct'])
  await useMemory(await connected(t, url, '/v1/spaces/team/mcp?author=Maya', key))
})

test('a key reaches the tools of its scopes, and its spaces alone', async (t) => {
  const { url, keyOf } = await testServer(t)
  const [reader, writer] = [await keyOf(['recall'], ['team']), await keyOf(['append'])]
  const client = await connected(t, url, '/v1/spaces/team/mcp', reader)
  const messages = [{ text: 'I row.', speaker: 'Maya' }]
  const { content, isError } = await client.callTool({ name: 'remember', arguments: { messages } })
  assert.ok(isError && /needs the scope append/.test(JSON.stringify(content)), JSON.stringify(content))
  const { tools } = await client.listTools()
  assert.ok(!tools.some(({ name }) => name === 'forget'), 'without an author nothing is forgotten')
  await assert.rejects(connected(t, url, '/v1/spaces/other/mcp', reader))
  await assert.rejects(connected(t, url, '/v1/spaces/a%2Fb/mcp', await keyOf(['recall'])))
  await assert.rejects(connected(t, url, '/v1/spaces/team/mcp', writer))
  await assert.rejects(connected(t, url, '/v1/spaces/team/mcp', null))
})

test('a tool finds a slot beside its own request, where a key has one', async (t) => {
  const { url, keyOf } = await testServer(t, { LOOMLOG_KEY_CONCURRENCY: '1' })
  const client = await connected(t, url, '/v1/spaces/team/mcp?author=Maya', await keyOf(['append', 'recall']))
  const messages = [{ text: 'I row.' }]
  const { content, isError = false } = await client.callTool({ name: 'remember', arguments: { messages } })
  assert.equal(isError, false, JSON.stringify(content))
})
