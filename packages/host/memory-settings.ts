/**
 * The settings of malloc and V8 with which a server keeps less free memory (test/faults/README.md). Both read them only
 * when a process begins, so a server that lacks some executes itself again: the process id, the signals and the exit
 * code stay those of the same process. Settings of the user win.
 */
import { totalmem } from 'node:os'
import type { Environment } from './environment.ts'

/** Of glibc. Two arenas instead of eight a core; fixed thresholds, so that large buffers are returned to the system. */
const malloc: Environment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
const semiSpaceLimit = '--max-semi-space-size=16'
/** V8's own limit is a 256th of the memory, so below this it is lower. */
const semiSpaceLimitFrom = 16 * 256 * 1_048_576

interface Machine {
  readonly memoryBytes: number
  /** Null: malloc is another one, which has no such settings. */
  readonly glibc: string | null
}

/** @returns the settings that are missing; empty: none is */
export function missingMemorySettings(environment: Environment, { memoryBytes, glibc }: Machine): Environment {
  const { NODE_OPTIONS: options } = environment
  const missing = Object.entries(glibc === null ? {} : malloc).filter(([name]) => environment[name] === undefined)
  // An empty NODE_OPTIONS is the user's.
  const isOwn = options === '' || /--max[-_]semi[-_]space[-_]size/.test(options ?? '')
  if (!isOwn && memoryBytes >= semiSpaceLimitFrom)
    missing.push(['NODE_OPTIONS', options === undefined ? semiSpaceLimit : `${options} ${semiSpaceLimit}`])
  return Object.fromEntries(missing)
}

/** Before the work of the process begins. Doesn't return if it executes the program again. */
export function restartWithMemorySettings(): void {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  const missing = missingMemorySettings(process.env, { memoryBytes, glibc: glibcVersion() })
  // A parent that forked the process would lose its channel. Windows can't replace the program of a process.
  if (Object.keys(missing).length === 0 || process.connected || process.platform === 'win32') return
  const [, ...args] = process.argv
  try {
    process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...args], { ...process.env, ...missing })
  } catch {
    // Node's permission model may forbid it. The server then works as well, and keeps more free memory.
  }
}

function glibcVersion(): string | null {
  // Node's types lack the field.
  const report = process.report as typeof process.report & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  // Without the network the report asks no name server.
  report.excludeNetwork = true
  const { header } = report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } }
  report.excludeNetwork = excludeNetwork
  return header.glibcVersionRuntime ?? null
}
