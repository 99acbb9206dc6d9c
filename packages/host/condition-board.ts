/**
 * The condition board: each process that derives writes its conditions into a file of its own in the log's folder, so
 * that a command on the same folder can report why another process makes no progress. Files have random names, since
 * containers that share the folder often have equal process ids. A file that isn't renewed is that of a dead process:
 * readers skip it, and the next process that derives removes it.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Condition, Conditions } from './conditions.ts'

type ShownCondition = Pick<Condition, 'text' | 'since'>

export interface PublishedCondition extends ShownCondition {
  /** The process that waits: its id and its machine. */
  readonly process: string
}

/** The content of a file. */
interface Publication {
  readonly process: string
  readonly conditions: readonly ShownCondition[]
}

const ownName = `${randomUUID()}.json`

/** A process renews its file more often than this, also if it is slow. */
const maxAgeMs = 15_000
/** A process with more conditions publishes the oldest ones. */
const maxPublished = 32

function folder(dir: string): string {
  return join(dir, 'conditions')
}

/** Renews this process's file, or removes it without conditions. Failures are ignored: the board only informs. */
export async function publishConditions(dir: string, conditions: Conditions): Promise<void> {
  const file = join(folder(dir), ownName)
  const current = [...conditions.current.values()].slice(0, maxPublished).map(({ text, since }) => ({ text, since }))
  const publication: Publication = { process: `${process.pid} on ${hostname()}`, conditions: current }
  try {
    if (current.length === 0) return await rm(file, { force: true })
    await mkdir(folder(dir), { recursive: true })
    // Renamed, so that no reader sees half of it.
    await writeFile(`${file}.new`, JSON.stringify(publication))
    await rename(`${file}.new`, file)
  } catch {
    // A full or read-only disk is reported by the log itself.
  }
}

export async function withdrawConditions(dir: string): Promise<void> {
  await rm(join(folder(dir), ownName), { force: true }).catch(() => {})
}

/** Removes the files of dead processes. */
export async function removeStaleConditions(dir: string): Promise<void> {
  const names = await readdir(folder(dir)).catch(() => [])
  for (const name of names) {
    const file = join(folder(dir), name)
    if (!(await isRenewed(file).catch(() => true))) await rm(file, { force: true }).catch(() => {})
  }
}

/** The conditions of the other processes on the same folder. Changes nothing in it. */
export async function otherConditions(dir: string): Promise<readonly PublishedCondition[]> {
  const names = await readdir(folder(dir)).catch(() => [])
  const others = names.filter((name) => !name.startsWith(ownName))
  return (await Promise.all(others.map((name) => conditionsIn(join(folder(dir), name))))).flat()
}

async function conditionsIn(file: string): Promise<readonly PublishedCondition[]> {
  try {
    if (!file.endsWith('.json') || !(await isRenewed(file))) return []
    const { process, conditions } = JSON.parse(await readFile(file, 'utf8')) as Publication
    return conditions.map(({ text, since }) => ({ process, text, since }))
  } catch {
    return []
  }
}

async function isRenewed(file: string): Promise<boolean> {
  const { mtimeMs } = await stat(file)
  return Date.now() - mtimeMs <= maxAgeMs
}
