/** The schema registry beside a local Kafka: a new process, or a running one. */
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import type { Jars } from './jars.ts'
import { quickStartOptions } from './node.ts'
import { endProcess, type Lifetime, startJava, waitUntilReady } from './processes.ts'

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
  const args = ['-Xmx256m', ...quickStartOptions, `-Dquarkus.http.port=${port}`, '-jar', jars.registry]
  // In a file, because the records with these schema ids outlive the process.
  const env = { QUARKUS_HTTP_HOST: '127.0.0.1', REGISTRY_DATASOURCE_URL: `jdbc:h2:file:${join(dir, 'registry')}` }
  const started = startJava(args, { name: 'registry', outDir: dir, cwd: jars.registryDir, env, lifetime })
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`
  return {
    url,
    pids: [started.pid ?? 0],
    ready: () => waitUntilReady(started, dir, 'registry', () => answers(`${url}/subjects`)),
    end: (signal) => endProcess(started, signal),
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}
