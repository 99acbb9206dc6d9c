/**
 * The places where a process may die with the most to lose. They stand in product code because the promise they test (each
 * source event takes effect once) is about exactly these places, and a kill from outside hits them only by luck. A test kills
 * a process at every one of them; one that is never reached fails the tests, so the list stays true.
 *
 * `LOOMLOG_CRASH_AT=name:n` kills the process (SIGKILL, nothing is flushed) when it passes the point for the n-th time;
 * `:n` may be left out. Without the variable a point costs one comparison.
 */
import { LoomlogError } from '@loomlog/errors'

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

export type CrashPoint = (typeof crashPoints)[number]

const armed = parse(process.env.LOOMLOG_CRASH_AT)
let passes = 0

export function crashPoint(name: CrashPoint): void {
  if (armed === null || armed.name !== name) return
  passes += 1
  if (passes === armed.pass) process.kill(process.pid, 'SIGKILL')
}

/** A typing error must not look like a process that survived. */
function parse(text: string | undefined): { readonly name: CrashPoint; readonly pass: number } | null {
  if (!text) return null
  const [given, count = '1'] = text.split(':')
  const name = crashPoints.find((point) => point === given)
  const pass = Number(count)
  if (name && Number.isInteger(pass) && pass > 0) return { name, pass }
  throw new LoomlogError(
    'config-invalid',
    `LOOMLOG_CRASH_AT=${text}: expected name:n, one of ${crashPoints.join(', ')}`,
  )
}
