/**
 * Endpoint failures pause: what failed and may pass is tried again, with growing pauses and never sooner than the endpoint asked
 * for, until it succeeds or the signal aborts. It never becomes an answer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'

const firstPauseMs = 500
const longestPauseMs = 30_000
/** An endpoint may ask for a day; looking again after five minutes does no harm, and somebody may have mended it. */
const longestWantedMs = 300_000

export class Pauses {
  readonly #onPause: (reason: string | null) => void
  #paused = 0

  /** @param onPause told why something waits, and null when nothing waits any more */
  constructor(onPause: (reason: string | null) => void) {
    this.#onPause = onPause
  }

  async untilAvailable<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    let tries = 0
    try {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        try {
          return await call()
        } catch (error) {
          if (signal.aborted || !isLoomlogError(error) || !error.retryable) throw error
          tries += 1
          if (tries === 1) this.#paused += 1
          this.#onPause(error.message)
          await sleep(Math.max(pauseMs, retryAfterMs(error)), undefined, { signal })
        }
      }
    } finally {
      if (tries > 0) this.#paused -= 1
      if (tries > 0 && this.#paused === 0) this.#onPause(null)
    }
  }
}

/** Any failure may say so; the models' do. */
function retryAfterMs(error: LoomlogError): number {
  const wanted = (error as { readonly retryAfterMs?: unknown }).retryAfterMs
  return typeof wanted === 'number' ? Math.min(wanted, longestWantedMs) : 0
}
