/**
 * Opens the host of a service, and waits for a broker or a registry that is not there yet: services start in any order. A mistake in the
 * settings ends the wait at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Config } from './config.ts'
import { type Host, openHost } from './open.ts'

const pauseMs = 1_000

/** Null if the signal aborts before it is open. @param onTrouble reports each failed try */
export async function openWhenThere(
  config: Config,
  signal: AbortSignal,
  onTrouble: (error: LoomlogError) => void,
  notify: (message: string) => void,
): Promise<Host | null> {
  while (!signal.aborted) {
    try {
      return await openHost(config, notify)
    } catch (error) {
      if (!isLoomlogError(error) || !error.retryable) throw error
      onTrouble(error)
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
  return null
}
