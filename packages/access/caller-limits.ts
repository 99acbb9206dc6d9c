/**
 * Limits of each caller: requests and bytes a second, requests in flight, live readers in flight. A request beyond a
 * limit has no effect: it is refused, with the time to wait. Rates are token buckets (GCRA): an idle caller may send a
 * burst.
 */
import { LoomlogError } from '@loomlog/errors'

export interface CallerLimitSettings {
  readonly requestsPerS: number
  /** Bytes of bodies. */
  readonly bytesPerS: number
  /** Requests at once, without live readers. */
  readonly concurrency: number
  /** Long-polls and SSE connections at once. */
  readonly liveReaders: number
}

export const defaultCallerLimits: CallerLimitSettings = {
  requestsPerS: 200,
  bytesPerS: 10_000_000,
  concurrency: 64,
  liveReaders: 1_000,
}

/** The burst of an idle caller: the requests and bytes that its rates allow in this time. */
const burstMs = 2_000
/** The wait of a caller at its in-flight limit, since it is unknown when a request ends. */
const slotRetryMs = 1_000
/** Callers in memory. At this number, idle callers are dropped. */
const maxCallers = 10_000

export class RateLimited extends LoomlogError {
  readonly retryAfterS: number

  constructor(message: string, waitMs: number) {
    const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
    super('rate-limited', `${message}: try again after ${retryAfterS} s`)
    this.retryAfterS = retryAfterS
  }
}

interface LimitedCaller {
  /** Null: every tenant. */
  readonly tenant: string | null
  /** Unique within its tenant only: a token's subject may be anything. */
  readonly name: string
}

interface LimitedRequest {
  readonly bytes: number
  readonly kind: 'request' | 'live-reader'
}

interface Usage {
  /** When the token bucket is full again, in ms of the clock. */
  requestsFullAt: number
  bytesFullAt: number
  readonly inFlight: Record<LimitedRequest['kind'], number>
}

export class CallerLimits {
  readonly #settings: CallerLimitSettings
  readonly #now: () => number
  readonly #usages = new Map<string, Usage>()

  /** @param now a clock in ms that never goes back */
  constructor(settings: CallerLimitSettings, now: () => number = () => performance.now()) {
    this.#settings = settings
    this.#now = now
  }

  /** Returns the function to call when the request is over. @throws RateLimited */
  admit(caller: LimitedCaller, { bytes, kind }: LimitedRequest): () => void {
    const { requestsPerS, bytesPerS, concurrency, liveReaders } = this.#settings
    const { name } = caller
    const usage = this.#usageOf(caller)
    const now = this.#now()
    const most = kind === 'request' ? concurrency : liveReaders
    if (usage.inFlight[kind] >= most)
      throw new RateLimited(`${name} has ${most} ${kind === 'request' ? 'requests' : 'live readers'}`, slotRetryMs)
    checkRate(usage.requestsFullAt - now, `${name} sends more than ${requestsPerS} requests a second`)
    checkRate(usage.bytesFullAt - now, `${name} sends more than ${bytesPerS} bytes a second`)
    usage.requestsFullAt = Math.max(usage.requestsFullAt, now) + 1_000 / requestsPerS
    usage.bytesFullAt = Math.max(usage.bytesFullAt, now) + (bytes * 1_000) / bytesPerS
    usage.inFlight[kind] += 1
    let isOver = false
    return () => {
      if (!isOver) usage.inFlight[kind] -= 1
      isOver = true
    }
  }

  /**
   * Counts bytes of a body beyond those that it was admitted with, such as a stream has. Never refuses them.
   * @returns how long to wait before more of it is read, in ms
   */
  charge(caller: LimitedCaller, bytes: number): number {
    const usage = this.#usageOf(caller)
    const now = this.#now()
    usage.bytesFullAt = Math.max(usage.bytesFullAt, now) + (bytes * 1_000) / this.#settings.bytesPerS
    return Math.max(0, usage.bytesFullAt - now - burstMs)
  }

  #usageOf({ tenant, name }: LimitedCaller): Usage {
    // As JSON, since a tenant and a name may hold any separator.
    const caller = JSON.stringify([tenant, name])
    const known = this.#usages.get(caller)
    if (known) return known
    if (this.#usages.size >= maxCallers) this.#forgetIdle()
    const usage = { requestsFullAt: 0, bytesFullAt: 0, inFlight: { request: 0, 'live-reader': 0 } }
    this.#usages.set(caller, usage)
    return usage
  }

  #forgetIdle(): void {
    const now = this.#now()
    for (const [caller, { requestsFullAt, bytesFullAt, inFlight }] of this.#usages) {
      const isIdle = Math.max(requestsFullAt, bytesFullAt) <= now && inFlight.request + inFlight['live-reader'] === 0
      if (isIdle) this.#usages.delete(caller)
    }
  }
}

function checkRate(untilFullMs: number, message: string): void {
  if (untilFullMs > burstMs) throw new RateLimited(message, untilFullMs - burstMs)
}
