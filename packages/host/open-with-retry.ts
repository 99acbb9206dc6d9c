/**
 * Opens the host of a service, and retries while the broker or the registry is away, so services start in any order. A
 * wrong setting fails at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Config } from './config.ts'
import { type Host, openHost } from './open.ts'

const pauseMs = 1_000

/** Null: the signal aborted before the host was open. @param onTrouble reports each failed attempt */
export async function openWithRetry(
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
