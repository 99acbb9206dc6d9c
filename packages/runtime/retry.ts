/**
 * Retries endpoint failures with exponential backoff, until the call succeeds or the signal aborts. An endpoint's own `retry-after`
 * is respected. A failure never becomes an answer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'

const firstBackoffMs = 500
const maxBackoffMs = 30_000
/** An endpoint may ask for a day. A call after five minutes does no harm, and finds out about a repair sooner. */
const maxRetryAfterMs = 300_000

export class Retry {
  readonly #onPause: (reason: string | null) => void
  #paused = 0

  /** @param onPause called with the reason when a call backs off, and with null when none does any more */
  constructor(onPause: (reason: string | null) => void) {
    this.#onPause = onPause
  }

  async untilAvailable<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    let failures = 0
    try {
      for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
        try {
          return await call()
        } catch (error) {
          if (signal.aborted || !isLoomlogError(error) || !error.retryable) throw error
          failures += 1
          if (failures === 1) this.#paused += 1
          this.#onPause(error.message)
          await sleep(Math.max(backoffMs, retryAfterMs(error)), undefined, { signal })
        }
      }
    } finally {
      if (failures > 0) this.#paused -= 1
      if (failures > 0 && this.#paused === 0) this.#onPause(null)
    }
  }
}

/** Only the models' errors have it. */
function retryAfterMs(error: LoomlogError): number {
  const wanted = (error as { readonly retryAfterMs?: unknown }).retryAfterMs
  return typeof wanted === 'number' ? Math.min(wanted, maxRetryAfterMs) : 0
}
