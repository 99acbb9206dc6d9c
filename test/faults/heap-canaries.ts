/**
 * Canaries in the heap of a server that has read and written them, answered with them, and then carried out their
 * forgetting. Node writes a heap snapshot at a signal, after a garbage collection. It has the strings of the heap, not
 * the bytes of buffers.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Environment, startProgram } from '../pipeline/loomlog.ts'
import { canariesInBytes, canaryLines, canarySpeaker } from './canaries.ts'
import { Instance } from './instance.ts'

const signal = 'SIGUSR2'
const withinMs = 120_000
const wholeStrings = fileURLToPath(new URL('./whole-strings.ts', import.meta.url))

/** @param dir a folder whose log holds the canaries */
export async function heapCanaries(dir: string, environment: Environment): Promise<readonly string[]> {
  const snapshots = `${dir}-heap`
  await mkdir(snapshots, { recursive: true })
  const atSignal = `--heapsnapshot-signal=${signal} --diagnostic-dir=${snapshots}`
  const options = `--import=${wholeStrings} ${atSignal} --max-semi-space-size=16`
  const server = new Instance(dir, { ...environment, NODE_OPTIONS: options })
  server.start()
  try {
    const url = await server.url()
    const onServer = { ...environment, LOOMLOG_URL: url }
    const subscriber = await subscribed(url)
    await succeeds(['ingest', await newCanaries(snapshots)], onServer)
    await succeeds(['recall', 'Who has the canarybird?'], onServer)
    await requestWithCanaries(url)
    await succeeds(['forget', '--speaker', canarySpeaker, '--yes'], onServer)
    process.kill(server.pid, signal)
    const found = canariesInBytes(Buffer.from(await stringsIn(snapshots)))
    await subscriber.cancel()
    return [...new Set(found.map(({ word }) => word))]
  } finally {
    await server.end('SIGTERM')
    await rm(snapshots, { recursive: true, force: true })
  }
}

/** Lines that the server itself appends. */
async function newCanaries(folder: string): Promise<string> {
  const file = join(folder, 'canary.jsonl')
  const lines = canaryLines.map((line) => ({ ...line, id: `${line.id}-again` }))
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  return file
}

/** Reads the feed until it is cancelled. */
async function subscribed(url: string): Promise<{ cancel(): Promise<void> }> {
  const { body } = await fetch(`${url}/v1/spaces/default/feed?offset=-1&live=sse`)
  const stop = new AbortController()
  const reading = body?.pipeTo(new WritableStream(), { signal: stop.signal }).catch(() => {})
  return {
    async cancel() {
      stop.abort()
      await reading
    },
  }
}

/** Reads and refused requests. Their connections stay open. */
async function requestWithCanaries(url: string): Promise<void> {
  const thread = 'speaker=Canaryspeaker&conversation=canarythread'
  for (const path of [
    'recall?query=canaryquestion',
    `recall?canarylabel=1&${thread}`,
    'memories/canaryid-1/why',
    'documents',
  ])
    await (await fetch(`${url}/v1/spaces/default/${path}`)).text()
}

async function succeeds(args: readonly string[], environment: Environment): Promise<void> {
  const { code, stderr } = await startProgram(args, environment).finished
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stderr}`)
}

/** The strings of the snapshot, once it is written to its end: it is JSON. */
async function stringsIn(folder: string): Promise<string> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    const name = (await readdir(folder)).find((each) => each.endsWith('.heapsnapshot'))
    const bytes = name === undefined ? Buffer.alloc(0) : await readFile(join(folder, name))
    if (bytes.subarray(-8).toString().trimEnd().endsWith('}'))
      return (JSON.parse(bytes.toString()) as { readonly strings: readonly string[] }).strings.join('\n')
    await sleep(500)
  }
  throw new Error(`the server wrote no heap snapshot within ${withinMs} ms`)
}
