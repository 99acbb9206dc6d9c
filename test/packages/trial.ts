/** The trial of an installed application on a version of Node: library, command line, server and client. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { run } from './tarballs.ts'

/** Packages for Kafka, servers, traces, tokens and models. LanceDB itself loads `@opentelemetry/api`. */
const unwanted = /^(kafkajs|@kafkajs\/.*|@opentelemetry\/(?!api$).*|fastify|@fastify\/.*|jose|openai|undici)$/

/** @throws AssertionError */
export async function tryLibrary(folder: string, node: string): Promise<void> {
  const { stdout, stderr } = await run(node, ['--import', './loaded-packages.mjs', 'embedded.mjs'], { cwd: folder })
  assert.match(stdout, /Maya: I moved to Porto/)
  const [notices = '', loaded = ''] = stderr.split('loaded: ')
  assert.equal(notices, '')
  assert.match(loaded, /\bloomlog\b/)
  assert.deepEqual(
    loaded
      .trim()
      .split(' ')
      .filter((name) => unwanted.test(name)),
    [],
  )
}

/** @throws AssertionError */
export async function tryCommands(folder: string, node: string): Promise<void> {
  const version = await run(node, [commandLine(folder), '--version'], { cwd: folder })
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  const { stdout, stderr } = await run(node, [commandLine(folder), 'demo'], { cwd: folder })
  assert.match(stdout, /Done in/)
  assert.doesNotMatch(stderr, /ExperimentalWarning/)
}

/** @throws AssertionError */
export async function tryAdapters(folder: string, node: string): Promise<void> {
  const { stdout } = await run(node, ['adapters.mjs'], { cwd: folder })
  assert.equal(stdout, 'Porto\n')
}

/** The client asks a server of the same application. @throws AssertionError */
export async function tryClient(folder: string, node: string): Promise<void> {
  const server = spawn(node, [commandLine(folder), 'up', '--port', '0', '--dir', 'served', '--json'], { cwd: folder })
  const ended = once(server, 'exit')
  try {
    const env = { LOOMLOG_URL: await addressOf(server) }
    const { stdout } = await run(node, ['client.mjs'], { cwd: folder, env })
    assert.deepEqual(stdout.trim().split('\n'), ['string', 'true not-found'])
  } finally {
    server.kill()
    await ended
  }
}

function commandLine(folder: string): string {
  return join(folder, 'node_modules/loomlog/loomlog.js')
}

async function addressOf(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('the server has no output')
  let printed = ''
  for await (const line of createInterface({ input: server.stdout })) {
    printed += line
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`the server ended without an address: ${printed}`)
}
