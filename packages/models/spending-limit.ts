/**
 * Limits on tokens a minute and on money a day, for all calls of this process to paid endpoints, chat and embeddings. A
 * call reserves an estimate when it is sent, and the endpoint's own count, if it has one, replaces the estimate when it
 * returns. After a timeout or an abort the estimate stays, since the endpoint may bill the call. A call beyond a limit
 * throws ModelUnavailable with the wait: the stage pauses and reports it, and nothing is lost.
 */
import { ModelUnavailable } from './unavailable.ts'

export interface SpendingLimits {
  /** Null: no limit. */
  readonly tokensPerMinute: number | null
  /** In the currency of the prices; a day ends at midnight, UTC. Null: no limit. */
  readonly moneyPerDay: number | null
}

export interface SpentTokens {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface SpendingOptions {
  readonly limits: SpendingLimits
  /** Null: the model has no price. */
  priceOf(model: string, spent: SpentTokens): number | null
  /** Money spent since midnight, by all processes, as it is recorded. */
  spentToday(): Promise<number>
}

/** A call that is about to be sent. */
export interface LimitedCall {
  readonly model: string
  readonly estimate: SpentTokens
  /** Whether its answer is recorded, so that a later `spentToday` holds its money. */
  readonly isRecorded: boolean
  /** Whether a failed call costs nothing. Otherwise its estimate counts all day, since it is recorded nowhere. */
  isUnbilled(error: unknown): boolean
}

const minuteMs = 60_000
const dayMs = 86_400_000
/** The recorded sum is read this often; calls of this process count at once. */
const recountMs = 5_000

export class SpendingLimit {
  readonly #options: SpendingOptions
  /** Tokens of the last minute; those in flight count as estimated. */
  readonly #recent: { readonly at: number; tokens: number }[] = []
  /** Estimates of the calls in flight. */
  #reserved = 0
  /**
   * Money of today. `recorded`: the recorded sum, of all processes. `since`: this process's recorded calls that ended
   * after that sum was read. `unrecorded`: this process's other calls, and failed ones.
   */
  #spent = { day: 0, recorded: 0, since: 0, unrecorded: 0, readAt: Number.NEGATIVE_INFINITY }

  constructor(options: SpendingOptions) {
    this.#options = options
  }

  /** @throws ModelUnavailable if a limit is reached */
  async run<T extends SpentTokens>(limited: LimitedCall, call: () => Promise<T>): Promise<T> {
    const { model, estimate, isRecorded, isUnbilled } = limited
    await this.#recount()
    // No `await` between the checks and the reservation, or concurrent calls would all pass.
    this.#checkMoney(model)
    this.#checkTokens()
    const entry = { at: Date.now(), tokens: estimate.inputTokens + estimate.outputTokens }
    const reserved = this.#options.priceOf(model, estimate) ?? 0
    this.#recent.push(entry)
    this.#reserved += reserved
    try {
      const spent = await call()
      entry.tokens = spent.inputTokens + spent.outputTokens
      this.#spent[isRecorded ? 'since' : 'unrecorded'] += this.#options.priceOf(model, spent) ?? 0
      return spent
    } catch (error) {
      if (isUnbilled(error)) entry.tokens = 0
      else this.#spent.unrecorded += reserved
      throw error
    } finally {
      this.#reserved -= reserved
    }
  }

  #checkTokens(): void {
    const { tokensPerMinute } = this.#options.limits
    const now = Date.now()
    while ((this.#recent[0]?.at ?? now) <= now - minuteMs) this.#recent.shift()
    if (tokensPerMinute === null) return
    let used = this.#recent.reduce((sum, { tokens }) => sum + tokens, 0)
    if (used < tokensPerMinute) return
    for (const { at, tokens } of this.#recent) {
      used -= tokens
      if (used < tokensPerMinute) {
        const why = `the limit of ${tokensPerMinute} tokens a minute (LOOMLOG_MODEL_TOKENS_PER_MINUTE) is reached`
        throw new ModelUnavailable(why, { retryAfterMs: at + minuteMs - now })
      }
    }
  }

  #checkMoney(model: string): void {
    const { limits, priceOf } = this.#options
    if (limits.moneyPerDay === null) return
    if (priceOf(model, { inputTokens: 1, outputTokens: 1 }) === null) {
      throw new ModelUnavailable(`${model} has no price in LOOMLOG_PRICES, which LOOMLOG_MODEL_MONEY_PER_DAY needs`)
    }
    const { recorded, since, unrecorded } = this.#spent
    const spent = recorded + since + unrecorded + this.#reserved
    if (spent < limits.moneyPerDay) return
    const now = Date.now()
    const midnight = (Math.floor(now / dayMs) + 1) * dayMs
    const why = `${spent.toFixed(4)} of ${limits.moneyPerDay} a day (LOOMLOG_MODEL_MONEY_PER_DAY) is spent`
    throw new ModelUnavailable(`${why}: it resumes at ${new Date(midnight).toISOString()}`, {
      retryAfterMs: midnight - now,
    })
  }

  async #recount(): Promise<void> {
    if (this.#options.limits.moneyPerDay === null) return
    const now = Date.now()
    const day = Math.floor(now / dayMs)
    if (day === this.#spent.day && now - this.#spent.readAt <= recountMs) return
    // During the read, other calls use the previous sum. Calls that end during it are added to the new sum.
    if (day === this.#spent.day) this.#spent.readAt = now
    const before = this.#spent.since
    const recorded = await this.#options.spentToday()
    const isSameDay = day === this.#spent.day
    const since = isSameDay ? Math.max(0, this.#spent.since - before) : 0
    const unrecorded = isSameDay ? this.#spent.unrecorded : 0
    this.#spent = { day, recorded, since, unrecorded, readAt: now }
  }
}
