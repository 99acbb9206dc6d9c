/**
 * Java processes that write to a file, and that die with the process that started them unless they are to outlive it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** `with-caller`: dies when this process does, however it dies. `detached`: lives on until stopped by its pid. */
export type Lifetime = 'with-caller' | 'detached'

/**
 * A watcher reads a pipe from this process. When the pipe closes, for any reason, it kills the shell, which is Java by
 * then.
 */
const dieWithCaller = 'exec 3<&0; (cat <&3 >/dev/null; kill -9 $$ 2>/dev/null) & exec "$@" 3<&- </dev/null'

export interface JavaOptions {
  /** The output goes to `<name>.out` in `outDir`. */
  readonly name: string
  readonly outDir: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly lifetime: Lifetime
}

export function startJava(args: readonly string[], options: JavaOptions): ChildProcess {
  const out = openSync(join(options.outDir, `${options.name}.out`), 'a')
  const env = { ...process.env, ...options.env }
  const cwd = options.cwd ?? options.outDir
  const child =
    options.lifetime === 'detached'
      ? spawn('java', args, { cwd, env, detached: true, stdio: ['ignore', out, out] })
      : spawn('sh', ['-c', dieWithCaller, 'sh', 'java', ...args], { cwd, env, stdio: ['pipe', out, out] })
  closeSync(out)
  child.on('error', () => {})
  child.unref()
  return child
}

export async function waitForExit(child: ChildProcess, outDir: string, name: string): Promise<void> {
  child.ref()
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)))
  child.stdin?.destroy()
  if (code !== 0) throw new Error(`${name} failed:\n${await lastLines(outDir, name)}`)
}

export async function endProcess(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.ref()
    const exit = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await exit
  }
  child.stdin?.destroy()
}

export async function waitUntilReady(
  child: ChildProcess,
  outDir: string,
  name: string,
  ready: () => Promise<boolean>,
): Promise<void> {
  // A busy machine starts three brokers and a registry slowly.
  const deadline = Date.now() + 180_000
  while (!(await ready())) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      throw new Error(`${name} did not start:\n${await lastLines(outDir, name)}`)
    }
    await sleep(100)
  }
}

async function lastLines(outDir: string, name: string): Promise<string> {
  const text = await readFile(join(outDir, `${name}.out`), 'utf8')
  return text.split('\n').slice(-40).join('\n')
}
