/**
 * Runs the snippets of one page in order, in one temporary folder, as a reader would: `loomlog` and `@loomlog/client`
 * are the packages of this tree, `npx loomlog` is its command line, and a block `npx loomlog up` is a server on a free
 * port until the page ends.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Snippet } from './snippets.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const documentedPort = '7070'
const snippetTimeoutMs = 50_000

/** A folder in which the packages of this tree are installed, and `npx loomlog` is its command line. */
export async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-docs-'))
  await mkdir(join(folder, 'node_modules/@loomlog'), { recursive: true })
  await symlink(`${root}packages/loomlog`, join(folder, 'node_modules/loomlog'))
  await symlink(`${root}packages/client`, join(folder, 'node_modules/@loomlog/client'))
  await symlink(`${root}node_modules/@types`, join(folder, 'node_modules/@types'))
  await mkdir(join(folder, 'bin'))
  const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${root}packages/cli/main.ts' "$@"\n`
  await writeFile(join(folder, 'bin/npx'), npx)
  await chmod(join(folder, 'bin/npx'), 0o700)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
  // A refused request fails the snippet.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\n')
  return folder
}

/** @returns the output of all snippets */
export async function runPage(snippets: readonly Snippet[]): Promise<string> {
  const folder = await projectFolder()
  const port = await freePort()
  const env = environmentIn(folder, port)
  let server: ChildProcess | null = null
  const outputs: string[] = []
  try {
    for (const { language, line, text } of snippets) {
      const there = text.replaceAll(documentedPort, port)
      if (text.trim() === 'npx loomlog up') server = await startServer(folder, env)
      else if (language === 'sh') outputs.push(await outputOf('bash', ['-euo', 'pipefail', '-c', there], folder, env))
      else {
        await writeFile(join(folder, `line-${line}.ts`), there)
        outputs.push(await outputOf(process.execPath, [`line-${line}.ts`], folder, env))
      }
    }
  } finally {
    if (server !== null) await stopServer(server)
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  return outputs.join('\n')
}

async function outputOf(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await run(file, args, { cwd, env, timeout: snippetTimeoutMs })
  return stdout
}

function environmentIn(folder: string, port: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(LOOMLOG_|OTEL_|NODE_TEST)/.test(name))
  const path = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter)
  return { ...Object.fromEntries(kept), PATH: path, CURL_HOME: folder, LOOMLOG_HTTP_PORT: port }
}

async function startServer(cwd: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const args = [`${root}packages/cli/main.ts`, 'up']
  const server = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`loomlog up ended: ${output}`)))
    // The listener stays, so that the pipe is never full or closed.
    server.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('loomlog is up')) resolve()
    })
  })
  return server
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}
