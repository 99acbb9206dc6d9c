/** A real server in a process of its own, on the memory of the demo in a temporary folder, or on another. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Memory } from '@loomlog/client'
import { eventually } from '../eventually.ts'
import { type Environment, startProgram } from '../pipeline/loomlog.ts'

const startMs = 60_000

export interface ServedMemory {
  readonly url: string
  /** The log's folder. */
  readonly dir: string
  readonly memory: Memory
  close(): Promise<void>
}

/** @param content `demo`: the demo's memory in the space `demo`; `empty`: no space */
export async function serveMemory(content: 'demo' | 'empty'): Promise<ServedMemory> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-inspector-'))
  const dir = join(folder, 'log')
  if (content === 'demo') {
    const { code, stderr } = await startProgram(['demo', '--keep', dir]).finished
    if (code !== 0) throw new Error(stderr)
  }
  const served = await serveFolder(dir, { LOOMLOG_PAUSE_MS: '1000' })
  return {
    ...served,
    async close() {
      await served.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** @param dir the folder of a log, which stays */
export async function serveFolder(dir: string, environment: Environment): Promise<ServedMemory> {
  const server = startProgram(['up', '--port', '0', '--json'], { ...environment, LOOMLOG_DIR: dir })
  let url = ''
  const started = eventually(() => {
    const [, found] = /"url":"([^"]+)"/.exec(server.output()) ?? []
    if (found === undefined) throw new Error(server.output())
    url = found
  }, startMs)
  await started.catch((error) => {
    server.process.kill('SIGTERM')
    throw error
  })
  // In the sources the first request builds the page.
  await (await fetch(url)).text()
  const memory = connect({ url })
  return {
    url,
    dir,
    memory,
    async close() {
      await memory.close()
      server.process.kill('SIGTERM')
      await server.finished
    },
  }
}
