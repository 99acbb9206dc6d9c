/**
 * A real conversation, by rules: the disturbed log must give the same canonical dump as an undisturbed run on the
 * embedded log. By default the first sessions of the first sample; `--sessions all` takes the whole file.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crashPoints } from '@loomlog/log/crash-points'
import { killAfter, killAt } from '../pipeline/killed-ingest.ts'
import { type Environment, loomlog } from '../pipeline/loomlog.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

/** A point at the end of a run, when all work is done. */
const atEnd = 'lease.before-release'
const sessionOf = /^session_(\d+)(_date_time)?$/

export const locomo: Scenario = {
  name: 'locomo',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description:
    'a LoCoMo file is ingested undisturbed, and with kills at named points and random moments: the same dump, on every log',
  run: inFolder,
}

interface Dump {
  readonly lines: number
  readonly sha256: string
}

async function inFolder(setting: Setting): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-locomo-'))
  try {
    return await ingestUnderKills(setting, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function ingestUnderKills(setting: Setting, folder: string): Promise<Verdict> {
  const { log, random, say, kills, sessionMs } = setting
  const file = await part(setting, folder)
  const embedded = { LOOMLOG_SESSION_MS: String(sessionMs) }
  const startedAt = performance.now()
  const undisturbed = await ingestAndDump(file, join(folder, 'undisturbed'), embedded)
  const undisturbedMs = performance.now() - startedAt
  say(`undisturbed: ${undisturbed.lines} lines, ${undisturbed.sha256}, ${Math.round(undisturbedMs / 1_000)} s`)
  const dir = join(folder, 'disturbed')
  const environment = { ...embedded, ...log }
  const ingest = { args: argsFor(file, dir), environment }
  let acknowledged = 0
  const passes = setting.sessions === null ? 3 : 1
  for (const point of crashPoints.filter((each) => each !== atEnd)) {
    acknowledged += (await killAt(point, 1 + Math.floor(random() * passes), ingest)).acknowledged
    say(`killed at ${point}`)
  }
  for (let kill = 0; kill < kills; kill += 1) {
    const run = await killAfter(1_000 + random() * ((2 * undisturbedMs) / kills), ingest)
    acknowledged += run.acknowledged
    say(`${run.outcome} at a random moment`)
  }
  const disturbed = await ingestAndDump(file, dir, environment)
  const again = await utterances(dir, environment)
  const isKept = disturbed.sha256 === undisturbed.sha256 && again >= acknowledged
  const namedPoints = crashPoints.length - 1
  const counts = { namedPoints, randomKills: kills, acknowledged, records: again }
  return { isKept, details: { undisturbed, disturbed, ...counts } }
}

async function part({ data, sessions }: Setting, folder: string): Promise<string> {
  if (data === null) throw new Error('no LoCoMo file')
  if (sessions === null) return data
  const samples = JSON.parse(await readFile(data, 'utf8')) as { conversation: object }[]
  const file = join(folder, 'part.json')
  await writeFile(
    file,
    JSON.stringify(
      samples.slice(0, 1).map((sample) => ({ ...sample, conversation: first(sample.conversation, sessions) })),
    ),
  )
  return file
}

/** Without the sessions after the first `count`. */
function first(conversation: object, count: number): object {
  return Object.fromEntries(
    Object.entries(conversation).filter(([key]) => Number(sessionOf.exec(key)?.[1] ?? 0) <= count),
  )
}

function argsFor(file: string, dir: string): readonly string[] {
  return ['ingest', file, '--format', 'locomo', '--space', 'faults', '--dir', dir, '--json']
}

async function ingestAndDump(file: string, dir: string, environment: Environment): Promise<Dump> {
  await run(argsFor(file, dir), environment)
  return JSON.parse(await run(['dump', '--hash', '--json', '--dir', dir], environment)) as Dump
}

async function utterances(dir: string, environment: Environment): Promise<number> {
  return (await run(['tail', 'utterances', '--dir', dir], environment)).split('\n').filter((line) => line !== '').length
}

async function run(args: readonly string[], environment: Environment): Promise<string> {
  const { code, stdout, stderr } = await loomlog(args, environment)
  if (code !== 0) throw new Error(`loomlog ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}
