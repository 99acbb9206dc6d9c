/** Limits the wait for a piece of work. The work itself continues. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { formatSeconds } from './conditions.ts'

/** @throws LoomlogError `log-unavailable` after that time */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new LoomlogError('log-unavailable', `no answer within ${formatSeconds(ms)}`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    timer.abort()
    late.catch(() => {})
    work.catch(() => {})
  }
}
