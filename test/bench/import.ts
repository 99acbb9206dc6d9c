/**
 * Imports of many spaces: `npm run bench -- import [--messages N] [--spaces N] [--json FILE]`. The same conversations
 * of ten messages are ingested into many spaces, and into one, each into an empty folder and derived by rules.
 * Measured: messages a second and the peak memory of the process (Linux). Target: many spaces have .8 of the rate of
 * one, else the command fails. Then the plan (`--dry-run`) of a file that no string holds.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { writeResult } from '../figures/result.ts'
import { startProgram } from '../pipeline/loomlog.ts'
import { type Shape, writeMessages } from './messages.ts'
import { peakMemory } from './peak-memory.ts'

const targetRatio = 0.8
/** Messages of the large file, and characters of each: more than 512 MB, the longest string. */
const large = { messages: 150_000, chars: 4_000 }

interface Measurement {
  readonly ms: number
  readonly messagesPerSecond: number
  readonly peakMemoryBytes: number | null
}

export async function benchImport(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      messages: { type: 'string', default: '50000' },
      spaces: { type: 'string', default: '5000' },
      json: { type: 'string' },
    },
  })
  const messages = count('--messages', values.messages)
  const spaces = count('--spaces', values.spaces)
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  try {
    const manySpaces = await ingest(dir, { messages, spaces })
    const oneSpace = await ingest(dir, { messages, spaces: 1 })
    const rateRatio = manySpaces.messagesPerSecond / oneSpace.messagesPerSecond
    const result = { messages, spaces, manySpaces, oneSpace, rateRatio, largeFile: await planLargeFile(dir) }
    await writeResult(values.json, 'bench -- import', result)
    console.log(`${cpus().length} cores, ${platform()}, Node ${process.versions.node}; ${messages} messages`)
    console.table({
      [`${spaces} spaces`]: manySpaces,
      'one space': oneSpace,
      'plan of the large file': result.largeFile,
    })
    console.log(`many spaces have ${rateRatio.toFixed(2)} of the rate of one; target ${targetRatio}`)
    if (rateRatio < targetRatio) process.exitCode = 1
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function count(option: string, given: string): number {
  const number = Number(given)
  if (Number.isInteger(number) && number > 0) return number
  throw new LoomlogError('input-invalid', `${option} is ${given}: expected a whole number from 1 on`)
}

async function ingest(dir: string, shape: Shape): Promise<Measurement> {
  const file = join(dir, `${shape.spaces}.jsonl`)
  const memory = join(dir, `${shape.spaces}`)
  await writeMessages(file, { ...shape, chars: 0 })
  return measured(['ingest', file, '--dir', memory, '--json'], shape.messages)
}

async function planLargeFile(dir: string): Promise<Measurement & { readonly bytes: number }> {
  const file = join(dir, 'large.jsonl')
  await writeMessages(file, { ...large, spaces: large.messages })
  const { size: bytes } = await stat(file)
  return { bytes, ...(await measured(['ingest', file, '--dry-run', '--dir', join(dir, 'none')], large.messages)) }
}

async function measured(command: readonly string[], messages: number): Promise<Measurement> {
  const startedAt = performance.now()
  const { process: child, finished } = startProgram(command, { LOOMLOG_EMBEDDER: 'words' })
  const stop = new AbortController()
  const watch = peakMemory(child.pid ?? 0, stop.signal)
  const run = await finished
  const ms = performance.now() - startedAt
  stop.abort()
  if (run.code !== 0) throw new Error(run.stderr)
  return { ms, messagesPerSecond: messages / (ms / 1_000), peakMemoryBytes: await watch }
}
