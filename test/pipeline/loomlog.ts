/** Runs the command line in a warm process, and programs in processes of their own, so that tests can kill them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runInWarmProcess } from './warm-processes.ts'

const main = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))

export type Environment = { readonly [name: string]: string }

export interface ProcessResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningProgram {
  readonly process: ChildProcess
  readonly finished: Promise<ProcessResult>
  /** All output so far, stdout and stderr. */
  output(): string
}

/** @param program the file to run, if not the command line's */
export function startProgram(args: readonly string[], environment: Environment = {}, program = main): RunningProgram {
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

/** Runs a command to its end. */
export async function loomlog(args: readonly string[], environment: Environment = {}): Promise<ProcessResult> {
  return { ...(await runInWarmProcess({ args, environment })), signal: null }
}
