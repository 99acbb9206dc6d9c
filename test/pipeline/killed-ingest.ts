/**
 * Kills an ingest repeatedly, at named crash points or at random moments. Every kill is SIGKILL, so nothing is flushed.
 * The same command is then started again on the same folder.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CrashPoint, crashPoints } from '@loomlog/log/crash-points'
import { type Environment, type RunningProgram, startProgram } from './loomlog.ts'

export interface Ingest {
  readonly args: readonly string[]
  readonly environment: Environment
}

/**
 * Runs until the point kills the process.
 * @throws if it ends by itself, because a point that is never reached tests nothing
 */
export async function killAt(point: CrashPoint, pass: number, ingest: Ingest): Promise<KilledRun> {
  const run = startProgram(ingest.args, { ...ingest.environment, LOOMLOG_CRASH_AT: `${point}:${pass}` })
  const { signal, code, stderr } = await run.finished
  if (signal !== 'SIGKILL') throw new Error(`${point}:${pass} was never reached: the run ended with ${code}. ${stderr}`)
  return { outcome: 'killed', acknowledged: acknowledgedIn(stderr) }
}

/** The point at the end of a run comes last. */
export const pointsInOrder: readonly CrashPoint[] = [
  ...crashPoints.filter((point) => point !== 'lease.before-release'),
  'lease.before-release',
]

export interface KilledRun {
  readonly outcome: 'killed' | 'done'
  /** Events that the command reported as durable. */
  readonly acknowledged: number
}

/** Runs for `afterMs` since its start or its first acknowledged events, or to its end if that comes first. */
export async function killAfter(
  afterMs: number,
  ingest: Ingest,
  since: 'start' | 'acknowledgement' = 'start',
): Promise<KilledRun> {
  const run = startProgram(ingest.args, ingest.environment)
  const stopped = new AbortController()
  const killing = (since === 'start' ? Promise.resolve() : acknowledgementOf(run))
    .then(() => sleep(afterMs, undefined, { signal: stopped.signal }))
    .then(
      () => run.process.kill('SIGKILL'),
      () => undefined,
    )
  const { signal, code, stderr } = await run.finished
  stopped.abort()
  await killing
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the run ended with ${code}: ${stderr}`)
  return { outcome: signal === 'SIGKILL' ? 'killed' : 'done', acknowledged: acknowledgedIn(stderr) }
}

/** The first acknowledged events, or the end of the run. */
function acknowledgementOf({ process, output }: RunningProgram): Promise<void> {
  return new Promise((resolve) => {
    process.stderr?.on('data', () => {
      if (acknowledgedIn(output()) > 0) resolve()
    })
    process.once('close', () => resolve())
  })
}

/** The command reports the number of durable events after every batch. */
function acknowledgedIn(stderr: string): number {
  const last = [...stderr.matchAll(/^([\d,]+) events acknowledged/gm)].at(-1)?.[1] ?? '0'
  return Number(last.replaceAll(',', ''))
}
