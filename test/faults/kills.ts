/**
 * An ingest that is killed at every named crash point and at random moments, and started again each time. The memory
 * must equal that of an undisturbed run on the embedded log, and the log must hold every acknowledged event.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CrashPoint, crashPoints } from '@loomlog/log/crash-points'
import { dumpHash, type Fixture, fixture, ingestAndHash } from '../pipeline/fixture.ts'
import { killAfter, killAt } from '../pipeline/killed-ingest.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

const sliceUtterances = 12

export const kills: Scenario = {
  name: 'kills',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: 'an ingest is killed at every named crash point and at random moments',
  run: killedIngest,
}

/** At its first pass a commit's point is in the commit that takes a lease; later passes are commits with outputs. */
const planned: readonly (readonly [point: CrashPoint, pass: number])[] = crashPoints.flatMap((point) =>
  point.startsWith('commit.') ? [[point, 1] as const, [point, 12] as const] : [[point, 1] as const],
)

async function killedIngest(setting: Setting): Promise<Verdict> {
  const closing: (() => unknown)[] = []
  try {
    return await killedIn({ after: (close) => void closing.push(close as () => unknown) }, setting)
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** The conversation grows slice by slice, so that there is work at every kill. */
async function killedIn(test: Parameters<typeof fixture>[0], setting: Setting): Promise<Verdict> {
  const { log, sessionMs, random, say } = setting
  const slices = planned.length + setting.kills
  const made = await fixture(test, slices * sliceUtterances, {
    LOOMLOG_PARTITIONS: '1',
    LOOMLOG_SESSION_MS: String(sessionMs),
  })
  const undisturbed = { ...made, dir: join(made.dir, 'undisturbed') }
  const killed = { ...made, dir: join(made.dir, 'killed'), environment: { ...made.environment, ...log } }
  let acknowledged = 0
  for (const [slice, file] of (await writeSlices(made, slices)).entries()) {
    const undisturbedRun = ingestAndHash({ ...undisturbed, file }, undisturbed.dir)
    undisturbedRun.catch(() => {})
    const startedAt = performance.now()
    const ingest = { args: ['ingest', file, '--dir', killed.dir, '--json'], environment: killed.environment }
    const [at, pass] = planned[slice] ?? (['a random moment', 1] as const)
    const run =
      at === 'a random moment' ? await killAfter(600 + random() * 4_000, ingest) : await killAt(at, pass, ingest)
    acknowledged += run.acknowledged
    await ingestAndHash({ ...killed, file }, killed.dir)
    await undisturbedRun
    say(`${run.outcome} at ${at}:${pass}, and done again after ${Math.round(performance.now() - startedAt)} ms`)
  }
  const dumps = {
    undisturbed: await dumpHash(undisturbed, undisturbed.dir),
    killed: await dumpHash(killed, killed.dir),
  }
  const records = await utterances(killed)
  const isKept = dumps.killed === dumps.undisturbed && acknowledged > 0 && records >= acknowledged
  return { isKept, details: { points: crashPoints.length, kills: slices, acknowledged, records, dumps } }
}

async function utterances({ dir, environment }: Fixture): Promise<number> {
  const { stdout } = await loomlog(['tail', 'utterances', '--dir', dir], environment)
  return stdout.split('\n').filter((line) => line !== '').length
}

/** Files with growing parts of the conversation. */
async function writeSlices({ dir, file }: Fixture, slices: number): Promise<readonly string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return Promise.all(
    Array.from({ length: slices }, async (_, slice) => {
      const name = join(dir, `slice-${slice}.jsonl`)
      await writeFile(name, lines.slice(0, (slice + 1) * sliceUtterances).join('\n'))
      return name
    }),
  )
}
