/**
 * The places where a process may die with the most to lose. They are in product code because the promise they test
 * (each source event takes effect once) is about exactly these places, and a kill from outside hits them only by luck.
 * A test kills a process at every one of them; one that is never reached fails the tests, so the list stays true.
 *
 * `LOOMLOG_CRASH_AT=name:n` kills the process (SIGKILL, nothing is flushed) when it passes the point for the n-th time;
 * `LOOMLOG_STOP_AT=name:n` stops it there (SIGSTOP), until it is resumed. `:n` may be left out. Without the variables a
 * point costs one comparison.
 */
import { LoomlogError } from '@loomlog/errors'

/** The points that every ingest passes. */
export const crashPoints = [
  'append.before-commit',
  'append.after-commit',
  'commit.before-outputs',
  'commit.before-position',
  'commit.before-end',
  'commit.after-end',
  'answer.before-record',
  'answer.after-record',
  'run.before-commit',
  'run.after-commit',
  'view.before-merge',
  'view.after-merge',
  'lease.after-take',
  'lease.before-release',
] as const

/** Passed only while a retired generation is removed. */
export const removalCrashPoints = [
  'remove.after-marked',
  'remove.after-stream',
  'remove.after-view',
  'remove.before-done',
] as const

/** Where generations are defined, started and promoted. */
export const generationCrashPoints = [
  'generation.before-define',
  'generation.within-define',
  'generation.after-define',
  'generation.before-change',
  'generation.after-change',
  'generation.before-promote',
  'generation.after-promote',
] as const

/** Passed by the publisher; the switch points only where the live generation changes. */
export const publisherCrashPoints = [
  'publish.before-commit',
  'publish.after-commit',
  'publish.before-switch',
  'publish.after-switch',
] as const

/** Passed by a forgetting. */
export const forgettingCrashPoints = [
  'forget.after-request',
  'forget.before-rewrite',
  'forget.after-rewrite',
  'forget.before-list',
  'forget.within-list',
  'forget.after-list',
  'forget.after-erase',
  'forget.before-certificate',
] as const

export type CrashPoint = (
  | typeof crashPoints
  | typeof removalCrashPoints
  | typeof generationCrashPoints
  | typeof publisherCrashPoints
  | typeof forgettingCrashPoints
)[number]

const allPoints: readonly CrashPoint[] = [
  ...crashPoints,
  ...removalCrashPoints,
  ...generationCrashPoints,
  ...publisherCrashPoints,
  ...forgettingCrashPoints,
]

interface ArmedPoint {
  readonly name: CrashPoint
  readonly signal: 'SIGKILL' | 'SIGSTOP'
  passesLeft: number
}

const armed = [...armedBy('LOOMLOG_CRASH_AT', 'SIGKILL'), ...armedBy('LOOMLOG_STOP_AT', 'SIGSTOP')]

export function crashPoint(name: CrashPoint): void {
  for (const point of armed) {
    if (point.name !== name) continue
    point.passesLeft -= 1
    if (point.passesLeft === 0) process.kill(process.pid, point.signal)
  }
}

/** Refuses a misspelled point: it would never be reached, and the process would seem to survive it. */
function armedBy(variable: string, signal: ArmedPoint['signal']): readonly ArmedPoint[] {
  const text = process.env[variable]
  if (!text) return []
  const [given, count = '1'] = text.split(':')
  const name = allPoints.find((point) => point === given)
  const passesLeft = Number(count)
  if (name && Number.isInteger(passesLeft) && passesLeft > 0) return [{ name, signal, passesLeft }]
  throw new LoomlogError('config-invalid', `${variable}=${text}: expected name:n, one of ${allPoints.join(', ')}`)
}
