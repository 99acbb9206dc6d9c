/**
 * The condition board: each process that derives writes its conditions into a file of its own in the log's folder, so that a command on the
 * same machine can say why nothing moves although another process does the work. A file that isn't renewed counts as gone.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Condition, Conditions } from './conditions.ts'

type ShownCondition = Pick<Condition, 'text' | 'since'>

export interface PublishedCondition extends ShownCondition {
  /** The process that waits. */
  readonly pid: number
}

/** A process renews its file more often than this, also if it is slow. */
const maxAgeMs = 15_000
/** A process with more conditions publishes the oldest ones. */
const maxPublished = 32

function folder(dir: string): string {
  return join(dir, 'conditions')
}

/** Renews this process's file; without conditions there is none. Failures don't matter: the board only informs. */
export async function publishConditions(dir: string, conditions: Conditions): Promise<void> {
  const file = join(folder(dir), `${process.pid}.json`)
  const current = [...conditions.current.values()].slice(0, maxPublished).map(({ text, since }) => ({ text, since }))
  try {
    if (current.length === 0) return await rm(file, { force: true })
    await mkdir(folder(dir), { recursive: true })
    // Renamed, so that no reader sees half of it.
    await writeFile(`${file}.new`, JSON.stringify(current))
    await rename(`${file}.new`, file)
  } catch {
    // A full or read-only disk is reported by the log itself.
  }
}

export async function withdrawConditions(dir: string): Promise<void> {
  await rm(join(folder(dir), `${process.pid}.json`), { force: true }).catch(() => {})
}

/** The conditions of the other processes of this machine. */
export async function otherConditions(dir: string): Promise<readonly PublishedCondition[]> {
  const names = await readdir(folder(dir)).catch(() => [])
  const found = await Promise.all(names.map((name) => conditionsIn(join(folder(dir), name), Number.parseInt(name, 10))))
  return found.flat()
}

async function conditionsIn(file: string, pid: number): Promise<readonly PublishedCondition[]> {
  if (!file.endsWith('.json') || pid === process.pid) return []
  try {
    const { mtimeMs } = await stat(file)
    if (Date.now() - mtimeMs > maxAgeMs) return []
    const conditions = JSON.parse(await readFile(file, 'utf8')) as readonly ShownCondition[]
    return conditions.map(({ text, since }) => ({ pid, text, since }))
  } catch {
    return []
  }
}
