/**
 * A pool of processes with the command line loaded; each runs one command at a time. A whole test run shares one pool
 * through a socket, since a process spends seconds on its first commands. A test file that runs alone has a pool of its
 * own.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { CommandRequest, CommandResult } from './warm-process.ts'

const program = fileURLToPath(new URL('./warm-process.ts', import.meta.url))
const variable = 'LOOMLOG_TEST_POOL'
/** Maximum number of commands of a process: each command leaves an evaluation of the command line in memory. */
const maxCommands = 40

interface WarmProcess {
  readonly child: ChildProcess
  commands: number
}

const idle: WarmProcess[] = []

/** Runs a command to its end. Concurrent commands have a process each. */
export function runInWarmProcess(request: CommandRequest): Promise<CommandResult> {
  const pool = process.env[variable]
  return pool === undefined ? runHere(request) : runIn(pool, request)
}

/** Shares the pool of this process with every process that it starts from now on. */
export async function sharePool(): Promise<{ close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-pool-'))
  const path = join(folder, 'pool')
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  process.env[variable] = path
  return {
    async close() {
      server.close()
      for (const { child } of idle.splice(0)) child.disconnect()
      await rm(folder, { recursive: true })
    },
  }
}

async function serve(socket: Socket): Promise<void> {
  // The test file may have been killed.
  const gone = new AbortController()
  socket.on('error', () => {}).on('close', () => gone.abort())
  const result = await runHere((await json(socket)) as CommandRequest, gone.signal)
  socket.end(JSON.stringify(result))
}

async function runIn(pool: string, request: CommandRequest): Promise<CommandResult> {
  const socket = connect(pool)
  socket.end(JSON.stringify(request))
  return (await json(socket)) as CommandResult
}

/** @param signal kills the process */
async function runHere(request: CommandRequest, signal?: AbortSignal): Promise<CommandResult> {
  const warm = idle.pop() ?? startProcess()
  const { child } = warm
  hold(child)
  const kill = () => void child.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  const result = await new Promise<CommandResult>((resolve) => {
    const onExit = () => resolve({ code: 1, stdout: '', stderr: `the process ended during ${request.args.join(' ')}` })
    child.once('exit', onExit).once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as CommandResult)
    })
    child.send(request)
  })
  signal?.removeEventListener('abort', kill)
  release(child)
  warm.commands += 1
  if (warm.commands < maxCommands && child.connected) idle.push(warm)
  else if (child.connected) child.disconnect()
  return result
}

/** The child ends with this process. */
function startProcess(): WarmProcess {
  const env = { ...process.env, NO_COLOR: '1' }
  return { child: fork(program, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }), commands: 0 }
}

function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

/** An idle process doesn't keep this one alive. */
function release(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}
