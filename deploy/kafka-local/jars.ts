/**
 * The jars of the broker and of the schema registry, fetched once with Maven and kept in the user's cache. A folder
 * appears in the cache under its final name only when it is complete, so that several processes may fetch at once.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const kafkaVersion = '4.1.0'
const registryVersion = '2.6.13.Final'

export interface Jars {
  /** A class path for `java -cp`. */
  readonly kafka: string
  /** A jar for `java -jar`, and the folder to start it in. */
  readonly registry: string
  readonly registryDir: string
}

/** `LOOMLOG_KAFKA_CACHE`, or loomlog's folder in the user's cache. */
export function cacheDir(): string {
  const { LOOMLOG_KAFKA_CACHE, XDG_CACHE_HOME } = process.env
  return LOOMLOG_KAFKA_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'loomlog')
}

export async function fetchJars(): Promise<Jars> {
  const kafkaDir = await once(`kafka-${kafkaVersion}`, (dir) =>
    maven(['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${dir}`]),
  )
  const registryDir = await once(`apicurio-registry-${registryVersion}`, async (dir) => {
    const artifact = `io.apicurio:apicurio-registry-app:${registryVersion}:tar.gz:all`
    await maven(['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${dir}`])
    const archive = join(dir, `apicurio-registry-app-${registryVersion}-all.tar.gz`)
    await run('tar', ['-xzf', archive, '-C', dir])
    await rm(archive)
  })
  const registry = join(registryDir, `apicurio-registry-app-${registryVersion}-runner.jar`)
  return { kafka: join(kafkaDir, '*'), registry, registryDir }
}

/** Whether a local broker can be started here: it needs Java 17 or later, and Maven. */
export async function canRunKafka(): Promise<boolean> {
  try {
    await run('mvn', ['-v'])
    const { stderr, stdout } = await run('java', ['-version'])
    const version = /version "(\d+)/.exec(stderr + stdout)?.[1]
    return Number(version) >= 17
  } catch {
    return false
  }
}

async function maven(args: readonly string[]): Promise<void> {
  await run('mvn', ['-q', '-B', '-f', join(import.meta.dirname, 'pom.xml'), ...args], { maxBuffer: 64 * 1024 * 1024 })
}

async function once(name: string, fill: (dir: string) => Promise<void>): Promise<string> {
  const dir = join(cacheDir(), name)
  if (existsSync(dir)) return dir
  await mkdir(cacheDir(), { recursive: true })
  const part = await mkdtemp(`${dir}.part-`)
  try {
    await fill(part)
    await rename(part, dir)
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    if (!existsSync(dir)) throw error
  }
  return dir
}
