/**
 * Retries endpoint failures with exponential backoff, until the call succeeds or the signal aborts. An endpoint's own
 * `retry-after` is respected. A failure never becomes an answer.
 *
 * An endpoint whose last calls all failed counts as away. Then one call at a time tries it, in turn, and the others
 * wait: hundreds of asks may be in flight, and must not all call an endpoint that restarts or limits their rate.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { unlessAborted } from './unless-aborted.ts'

const firstBackoffMs = 500
const maxBackoffMs = 30_000
/** An endpoint may ask for a day. A call after five minutes does no harm, and finds out about a repair sooner. */
const maxRetryAfterMs = 300_000
/** This many failures without a success between them mean that the endpoint is away. */
const awayAfterFailures = 4
/**
 * A request without an answer for this long is reported, long before it times out. Its wait for a slot doesn't count.
 */
const slowCallMs = 10_000

export interface RetryListener {
  /** Called with the reason when a call backs off, and with null when none does any more. */
  onBackoff(reason: string | null): void
  /** Called when a request has had no answer for ten seconds, and with null when no such request is left. */
  onSlowCall?(reason: string | null): void
}

/** Runs a request, and reports it while it is slow. */
export type CallWatch = <T>(request: () => Promise<T>) => Promise<T>

export class Retry {
  readonly #listener: RetryListener
  #paused = 0
  #slow = 0
  /** When the failures began; null: the last call succeeded. */
  #failingSince: number | null = null
  #failuresInARow = 0
  #isProbing = false
  #waitingForProbe: (() => void)[] = []

  constructor(listener: RetryListener) {
    this.#listener = listener
  }

  /** @param call sends requests to the endpoint, each within `watch` */
  async untilAvailable<T>(signal: AbortSignal, call: (watch: CallWatch) => Promise<T>): Promise<T> {
    let failures = 0
    try {
      for (;;) {
        const isProbe = await this.#maySend(signal)
        try {
          const result = await call(this.#watch)
          this.#failuresInARow = 0
          this.#failingSince = null
          return result
        } catch (error) {
          if (signal.aborted || !isLoomlogError(error) || !error.retryable) throw error
          failures += 1
          if (failures === 1) this.#paused += 1
          await sleep(this.#failed(error, { isProbe, failures }), undefined, { signal })
        } finally {
          if (isProbe) this.#endProbe()
        }
        // Woken calls go first, so that a call that always fails is not the probe every time.
        await nextTurn()
      }
    } finally {
      if (failures > 0) this.#paused -= 1
      if (failures > 0 && this.#paused === 0) this.#listener.onBackoff(null)
    }
  }

  get #isAway(): boolean {
    return this.#failuresInARow >= awayAfterFailures
  }

  /** Waits until the call may be sent. @returns whether it is the probe of an endpoint that is away */
  async #maySend(signal: AbortSignal): Promise<boolean> {
    while (this.#isAway) {
      signal.throwIfAborted()
      if (!this.#isProbing) {
        this.#isProbing = true
        return true
      }
      await unlessAborted(new Promise<void>((resolve) => this.#waitingForProbe.push(resolve)), signal)
    }
    return false
  }

  /** All wake in their order: the first one probes next, unless the endpoint is back. */
  #endProbe(): void {
    this.#isProbing = false
    for (const resolve of this.#waitingForProbe.splice(0)) resolve()
  }

  /** @returns the backoff in ms */
  #failed(error: LoomlogError, call: { readonly isProbe: boolean; readonly failures: number }): number {
    const now = Date.now()
    // Hundreds of calls may fail at once, and are one failure of the endpoint.
    if (call.isProbe || !this.#isAway) this.#failuresInARow += 1
    this.#failingSince ??= now
    const doublings = call.isProbe ? this.#failuresInARow - awayAfterFailures : call.failures - 1
    const backoffMs = Math.max(Math.min(firstBackoffMs * 2 ** doublings, maxBackoffMs), retryAfterMs(error))
    const times = `since ${timeOf(this.#failingSince)}, next try at ${timeOf(now + backoffMs)}`
    this.#listener.onBackoff(`${error.message} (${times})`)
    return backoffMs
  }

  readonly #watch: CallWatch = async (request) => {
    let isSlow = false
    const startedAt = Date.now()
    const timer = setTimeout(() => {
      isSlow = true
      this.#slow += 1
      this.#listener.onSlowCall?.(`no answer to a call of ${timeOf(startedAt)}`)
    }, slowCallMs)
    timer.unref()
    try {
      return await request()
    } finally {
      clearTimeout(timer)
      if (isSlow) this.#slow -= 1
      if (isSlow && this.#slow === 0) this.#listener.onSlowCall?.(null)
    }
  }
}

/** Only the models' errors have it. */
function retryAfterMs(error: LoomlogError): number {
  const wanted = (error as { readonly retryAfterMs?: unknown }).retryAfterMs
  return typeof wanted === 'number' ? Math.min(wanted, maxRetryAfterMs) : 0
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
