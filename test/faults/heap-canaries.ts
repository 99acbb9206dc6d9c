/**
 * Canaries in the heap of a server that has read them, answered with them, and then carried out their forgetting. Node
 * writes a heap snapshot at a signal, after a garbage collection. It has the strings of the heap, not the bytes of
 * buffers.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, startProgram } from '../pipeline/loomlog.ts'
import { canariesInBytes, canarySpeaker } from './canaries.ts'
import { Instance } from './instance.ts'

const signal = 'SIGUSR2'
const withinMs = 120_000

/** @param dir a folder whose log holds the canaries */
export async function heapCanaries(dir: string, environment: Environment): Promise<readonly string[]> {
  const snapshots = `${dir}-heap`
  await mkdir(snapshots, { recursive: true })
  const options = `--heapsnapshot-signal=${signal} --diagnostic-dir=${snapshots} --max-semi-space-size=16`
  const server = new Instance(dir, { ...environment, NODE_OPTIONS: options })
  server.start()
  try {
    const url = await server.url()
    const onServer = { ...environment, LOOMLOG_URL: url }
    await succeeds(['recall', 'Who has the canarybird?'], onServer)
    await succeeds(['forget', '--speaker', canarySpeaker, '--yes'], onServer)
    process.kill(server.pid, signal)
    const words = canariesInBytes(await snapshotIn(snapshots)).map(({ word }) => word)
    return [...new Set(words)]
  } finally {
    await server.end('SIGTERM')
    await rm(snapshots, { recursive: true, force: true })
  }
}

async function succeeds(args: readonly string[], environment: Environment): Promise<void> {
  const { code, stderr } = await startProgram(args, environment).finished
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stderr}`)
}

/** The snapshot, once it is written to its end: it is JSON. */
async function snapshotIn(folder: string): Promise<Buffer> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    const [name] = await readdir(folder)
    const bytes = name === undefined ? Buffer.alloc(0) : await readFile(join(folder, name))
    if (bytes.subarray(-8).toString().trimEnd().endsWith('}')) return bytes
    await sleep(500)
  }
  throw new Error(`the server wrote no heap snapshot within ${withinMs} ms`)
}
