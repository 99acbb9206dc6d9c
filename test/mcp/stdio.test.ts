/** `loomlog mcp`, asked by the client of the protocol's SDK: a memory in a folder. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { until } from '../within-seconds.ts'
import { useMemory } from './scenario.ts'

const program = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))

test('remembers, recalls, corrects and forgets, in a folder', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-mcp-'))
  t.after(() => rm(dir, { recursive: true, maxRetries: 3 }))
  const args = [program, 'mcp', '--dir', dir, '--space', 'team', '--author', 'Maya']
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: { PATH: process.env['PATH'] ?? '', LOOMLOG_SESSION_MS: '1000', LOOMLOG_PAUSE_MS: '1000' },
    stderr: 'pipe',
  })
  let notices = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    notices += chunk.toString()
  })
  const client = new Client({ name: 'test', version: '1' })
  t.after(() => client.close())
  await client.connect(transport)
  await useMemory(client)
  assert.equal(notices, '')
})

/** Of a process that ends, on a busy machine. */
const timeout = 60_000
/** One byte more than the SDK reads of a line. */
const tooLong = 'x'.repeat(10 * 1024 * 1024 + 1)

for (const [name, input] of [
  ['the input ends', ''],
  ['a line is too long, though the input stays open', tooLong],
] as const) {
  test(`ends when ${name}`, { timeout }, async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'loomlog-mcp-'))
    t.after(() => rm(dir, { recursive: true, maxRetries: 3 }))
    const child = spawn(process.execPath, [program, 'mcp', '--dir', dir], { stdio: ['pipe', 'ignore', 'ignore'] })
    t.after(() => child.kill('SIGKILL'))
    child.stdin.on('error', () => {})
    if (input === '') child.stdin.end()
    else child.stdin.write(input)
    await once(child, 'exit')
  })
}

test('a signal while the memory opens ends it', { timeout }, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-mcp-'))
  t.after(() => rm(dir, { recursive: true, maxRetries: 3 }))
  const child = spawn(process.execPath, [program, 'mcp', '--dir', dir], { stdio: ['pipe', 'ignore', 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  await until(() => existsSync(join(dir, 'log.db')), 'the log')
  child.kill('SIGTERM')
  await once(child, 'exit')
})
