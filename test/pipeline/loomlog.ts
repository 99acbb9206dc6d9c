/** Runs the command line in a process that is ready for it, and programs in processes of their own, so that tests can kill them. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CommandRequest, CommandResult } from './warm-process.ts'

const main = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))
const warmProcess = fileURLToPath(new URL('./warm-process.ts', import.meta.url))

export type Environment = { readonly [name: string]: string }

export interface ProcessResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  readonly finished: Promise<ProcessResult>
  /** All output so far, stdout and stderr. */
  output(): string
}

/** @param program the file to run, if not the command line's */
export function start(args: readonly string[], environment: Environment = {}, program = main): Running {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  const finished = new Promise<ProcessResult>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return { process: child, finished, output: () => stdout + stderr }
}

const idle: ChildProcess[] = []

/** Runs a command to its end. Commands that run at the same time have a process each. */
export async function loomlog(args: readonly string[], environment: Environment = {}): Promise<ProcessResult> {
  const child = idle.pop() ?? started()
  hold(child)
  const result = await new Promise<CommandResult>((resolve, reject) => {
    const onExit = () => reject(new Error(`the process ended during ${args.join(' ')}`))
    child.once('exit', onExit).once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as CommandResult)
    })
    child.send({ args, environment } satisfies CommandRequest)
  })
  release(child)
  idle.push(child)
  return { ...result, signal: null }
}

/** It ends with this process. */
function started(): ChildProcess {
  const env = { ...process.env, NO_COLOR: '1' }
  return fork(warmProcess, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
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
