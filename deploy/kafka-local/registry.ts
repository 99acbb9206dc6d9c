/** The schema registry beside a local Kafka: a new process, or a running one. */
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import type { Jars } from './jars.ts'
import { quickStart } from './node.ts'
import { end, type Lifetime, startJava, untilReady } from './processes.ts'

export interface Registry {
  readonly url: string
  readonly pids: readonly number[]
  ready(): Promise<void>
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

export function registryAt(url: string): Registry {
  return { url, pids: [], ready: async () => {}, end: async () => {} }
}

export async function startRegistry(jars: Jars, dir: string, lifetime: Lifetime): Promise<Registry> {
  const [port = 0] = await freePorts(1)
  const args = ['-Xmx256m', ...quickStart, `-Dquarkus.http.port=${port}`, '-jar', jars.registry]
  // In a file, because the records with these schema ids outlive the process.
  const env = { QUARKUS_HTTP_HOST: '127.0.0.1', REGISTRY_DATASOURCE_URL: `jdbc:h2:file:${join(dir, 'registry')}` }
  const started = startJava(args, { name: 'registry', outDir: dir, cwd: jars.registryDir, env, lifetime })
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`
  return {
    url,
    pids: [started.pid ?? 0],
    ready: () => untilReady(started, dir, 'registry', () => answers(`${url}/subjects`)),
    end: (signal) => end(started, signal),
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}
