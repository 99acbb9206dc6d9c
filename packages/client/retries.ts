/** Tries of a request: again after a failure that may pass, with growing waits, or as long as the server asks. */
import { wait } from './timers.ts'

export type Attempt<T> =
  | { readonly value: T }
  | {
      readonly error: unknown
      readonly mayPass: boolean
      /** The header `Retry-After`: seconds or a date. */
      readonly retryAfter: string | null
    }

export interface TryLimits {
  readonly mostRetries: number
  /** Of all tries and the waits between them. */
  readonly timeoutMs: number
}

const firstWaitMs = 200
const longestWaitMs = 5_000
const longestAskedWaitMs = 60_000

/**
 * A wait that would end after the time isn't begun.
 * @param attempt gets the time that is left
 * @throws the error of the last attempt, or the reason of the signal
 */
export async function withRetries<T>(
  { mostRetries, timeoutMs }: TryLimits,
  signal: AbortSignal | undefined,
  attempt: (leftMs: number) => Promise<Attempt<T>>,
): Promise<T> {
  const endsAt = performance.now() + timeoutMs
  for (let retries = 0; ; retries++) {
    const result = await attempt(endsAt - performance.now())
    if ('value' in result) return result.value
    const { error, mayPass, retryAfter } = result
    const waitMs = askedWait(retryAfter) ?? backoff(retries)
    if (!mayPass || retries >= mostRetries || performance.now() + waitMs >= endsAt) throw error
    await wait(waitMs, signal)
  }
}

/** Exponential, with full jitter, in ms. */
function backoff(retries: number): number {
  return Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** retries)
}

/** In ms, a minute at most; null: the server asks for none. */
function askedWait(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), longestAskedWaitMs)
}
