/**
 * Throttles background derivations so that they don't slow the live generation.
 *
 * Without live work, background work runs at full speed. Beside live work at most `maxRunning` of its pieces run at a
 * time, and after each piece its slot rests, so that a slot is busy for `share` of the time. Waits for an endpoint lie
 * between pieces: they hold no slot, and count neither as work nor as rest. Live work never waits.
 */
import { BackgroundSlots } from './background-slots.ts'
import { type MaybePromise, thenAlways } from './maybe-promise.ts'
import { defaultRoomWaitMs, liveMaxInFlight, type Throttle } from './throttle.ts'

/** The share of the time that each background slot is busy beside live work. */
export const defaultBackgroundShare = 0.25
/** Live work counts as present for this long after it ends: people pause in a conversation. */
const liveLingerMs = 5_000
/** With one, the previous generation falls behind after a promotion, and can't be rolled back to. */
const maxRunning = 2
/** Bounds the rest after a piece that took long because the machine is overloaded. */
const maxRestMs = 10_000
/** With fewer records in flight, live work gets the embedder sooner. */
const backgroundInFlight = 128

/** One for each process. */
export class BackgroundThrottle {
  readonly #slots = new BackgroundSlots(maxRunning)
  /** Number of live pieces that run. */
  #live = 0
  #idleTimer: NodeJS.Timeout | undefined

  /** @param isLive called for every piece, since promotions change it */
  throttle({ isLive, share }: { isLive(): boolean; share(): number }): Throttle {
    const isBesideLiveWork = () => !isLive() && this.#slots.isLimited
    return {
      get maxInFlight() {
        return isBesideLiveWork() ? backgroundInFlight : liveMaxInFlight
      },
      get isLive() {
        return isLive()
      },
      get isBesideLiveWork() {
        return isBesideLiveWork()
      },
      roomWaitMs: defaultRoomWaitMs,
      run: (work, signal) => (isLive() ? this.#runLive(work) : this.#runBackground(work, share(), signal)),
    }
  }

  #runLive<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    this.#slots.isLimited = true
    this.#live += 1
    return thenAlways(work, () => this.#liveEnded())
  }

  #liveEnded(): void {
    this.#live -= 1
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.#idle(), liveLingerMs).unref()
  }

  #idle(): void {
    if (this.#live === 0) this.#slots.isLimited = false
  }

  async #runBackground<T>(work: () => MaybePromise<T>, share: number, signal: AbortSignal): Promise<T> {
    await this.#slots.take(signal)
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#rest((performance.now() - startedAt) * (1 / share - 1))
    }
  }

  /** Frees the slot after its rest. The finished piece doesn't wait for it. */
  #rest(owedMs: number): void {
    const restMs = this.#slots.isLimited ? Math.min(maxRestMs, owedMs) : 0
    if (restMs < 1) this.#slots.release()
    else setTimeout(() => this.#slots.release(), restMs).unref()
  }
}
