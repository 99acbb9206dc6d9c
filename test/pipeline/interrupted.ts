/**
 * An ingest that is killed again and again: at named crash points, or at random moments. Every kill is SIGKILL, so nothing is
 * flushed; the same command is then started again on the same folder.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CrashPoint, crashPoints } from '@loomlog/log/crash-points'
import { type Environment, start } from './loomlog.ts'

export interface Ingest {
  readonly args: readonly string[]
  readonly environment: Environment
}

/** Runs until the point kills it. @throws where it ends otherwise: a point that is never reached tests nothing */
export async function dieAt(point: CrashPoint, pass: number, ingest: Ingest): Promise<KilledRun> {
  const run = start(ingest.args, { ...ingest.environment, LOOMLOG_CRASH_AT: `${point}:${pass}` })
  const { signal, code, stderr } = await run.finished
  if (signal !== 'SIGKILL') throw new Error(`${point}:${pass} was never reached: the run ended with ${code}. ${stderr}`)
  return { outcome: 'killed', acknowledged: acknowledgedIn(stderr) }
}

/** Points that only the end of a run passes come last, when there is an end to come to. */
export const pointsInOrder: readonly CrashPoint[] = [
  ...crashPoints.filter((point) => point !== 'lease.before-release'),
  'lease.before-release',
]

export interface KilledRun {
  readonly outcome: 'killed' | 'done'
  /** Events that the command said are durable. */
  readonly acknowledged: number
}

/** Runs for `afterMs`, or to its end if that comes first. */
export async function killAfter(afterMs: number, ingest: Ingest): Promise<KilledRun> {
  const run = start(ingest.args, ingest.environment)
  const stopped = new AbortController()
  const killing = sleep(afterMs, undefined, { signal: stopped.signal }).then(
    () => run.process.kill('SIGKILL'),
    () => undefined,
  )
  const { signal, code, stderr } = await run.finished
  stopped.abort()
  await killing
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the run ended with ${code}: ${stderr}`)
  return { outcome: signal === 'SIGKILL' ? 'killed' : 'done', acknowledged: acknowledgedIn(stderr) }
}

/** The command says after every batch how many events it has made durable so far. */
function acknowledgedIn(stderr: string): number {
  const said = [...stderr.matchAll(/^acknowledged ([\d,]+) events/gm)].at(-1)?.[1] ?? '0'
  return Number(said.replaceAll(',', ''))
}
