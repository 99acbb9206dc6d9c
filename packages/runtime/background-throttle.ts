/**
 * Throttles background derivations so that they don't slow the live generation.
 *
 * Without live work, background work runs at full speed. Beside live work:
 * 1. At most `maxBackground` pieces are started, and `maxRunning` of them use this process's CPU; the others wait for a model.
 * 2. A piece lets running live work finish first, for `maxYieldMs` at most, so background work never starves.
 * 3. After each piece its slot rests, so that a slot is busy for `share` of the time.
 * Time spent waiting for a model counts as neither: it costs this process nothing.
 *
 * Asks ahead (asks-ahead.ts) don't wait for a slot. Their number is bounded by the records in flight, and the model's in-flight limiter lets
 * live calls go first.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MaybePromise } from './maybe-promise.ts'
import { liveInFlight, roomWaitMs, type Throttle } from './throttle.ts'

/** The share of the time that each background slot is busy beside live work. */
export const defaultShare = 0.25
/** Live work counts as present for this long after it ends: people pause in a conversation. */
const liveLingerMs = 5_000
/** Leaves most of the model's in-flight limit to live work. */
const maxBackground = 4
/** With one, the previous generation falls behind after a promotion, and can't be rolled back to. */
const maxRunning = 2
const maxYieldMs = 500
/** Bounds the rest after a piece that took long because the machine is overloaded. */
const maxRestMs = 10_000
const pollMs = 10
/** Fewer records in flight mean that live work gets the embedder sooner. */
const backgroundInFlight = 128

/** A running piece of work, and how long it used this process's CPU. */
class Piece {
  readonly #startedAt = performance.now()
  readonly #onLeave: (ranMs: number) => void
  #hasLeft = false
  /** How many waits are open at once. */
  #waits = 0
  #waitsSince = 0
  #waitedMs = 0

  /** @param onLeave called once: at the first wait, or at the end */
  constructor(onLeave: (ranMs: number) => void) {
    this.#onLeave = onLeave
  }

  get isRunning(): boolean {
    return this.#waits === 0
  }

  get ranMs(): number {
    return performance.now() - this.#startedAt - this.#waitedMs
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#onLeave(this.ranMs)
  }

  async whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    this.leave()
    if (this.isRunning) this.#waitsSince = performance.now()
    this.#waits += 1
    try {
      return await work()
    } finally {
      this.#waits -= 1
      if (this.isRunning) this.#waitedMs += performance.now() - this.#waitsSince
    }
  }
}

/** A semaphore that limits only while there is live work. First come, first served: a piece that frees a slot soon wants another. */
class Slots {
  readonly #max: number
  readonly #isBusy: () => boolean
  readonly #waiting: { wake(): void }[] = []
  #taken = 0

  constructor(max: number, isBusy: () => boolean) {
    this.#max = max
    this.#isBusy = isBusy
  }

  async take(signal: AbortSignal): Promise<void> {
    const waiter = { wake: () => {} }
    this.#waiting.push(waiter)
    try {
      while (this.#isBusy() && this.#taken >= this.#max) {
        const woken = Promise.withResolvers<void>()
        waiter.wake = woken.resolve
        const look = setTimeout(woken.resolve, pollMs)
        await woken.promise
        clearTimeout(look)
        signal.throwIfAborted()
      }
      this.#taken += 1
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      this.#waiting[0]?.wake()
    }
  }

  giveBack(): void {
    this.#taken -= 1
    this.#waiting[0]?.wake()
  }
}

/** One for each process. */
export class BackgroundThrottle {
  readonly #live = new Set<Piece>()
  readonly #pieces = new AsyncLocalStorage<Piece>()
  #lastLiveAt = Number.NEGATIVE_INFINITY
  readonly #background = new Slots(maxBackground, () => this.#isBusy)
  readonly #running = new Slots(maxRunning, () => this.#isBusy)

  /** @param isLive asked for every piece, since promotions change it */
  throttle(options: { isLive(): boolean; share(): number }): Throttle {
    const isUrgent = () => options.isLive() || !this.#isBusy
    return {
      get maxInFlight() {
        return isUrgent() ? liveInFlight : backgroundInFlight
      },
      get isLive() {
        return options.isLive()
      },
      get isUrgent() {
        return isUrgent()
      },
      roomWaitMs,
      run: (work, signal) =>
        options.isLive() ? this.#runLive(work) : this.#runBackground(work, options.share(), signal),
      yieldToLive: async () => {
        if (!options.isLive()) await this.#untilLivePauses(null)
      },
      whileWaiting: (work) => this.#pieces.getStore()?.whileWaiting(work) ?? work(),
    }
  }

  get #isBusy(): boolean {
    return this.#live.size > 0 || performance.now() - this.#lastLiveAt < liveLingerMs
  }

  #runLive<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    const piece = new Piece(() => {})
    this.#live.add(piece)
    let done: MaybePromise<T> | null = null
    try {
      done = this.#pieces.run(piece, work)
      return done instanceof Promise ? done.finally(() => this.#liveEnded(piece)) : done
    } finally {
      if (!(done instanceof Promise)) this.#liveEnded(piece)
    }
  }

  #liveEnded(piece: Piece): void {
    this.#live.delete(piece)
    this.#lastLiveAt = performance.now()
  }

  async #runBackground<T>(work: () => MaybePromise<T>, share: number, signal: AbortSignal): Promise<T> {
    await this.#background.take(signal)
    let restAfterMs = 0
    try {
      await this.#takeSlot(signal)
      let restedMs = 0
      const piece = new Piece((ranMs) => {
        restedMs = ranMs
        this.#giveBack(this.#running, ranMs, share)
      })
      try {
        return await this.#pieces.run(piece, work)
      } finally {
        piece.leave()
        // After a wait, a piece continues without a slot, so that no recorded answer waits for one. It rests for that time later.
        restAfterMs = piece.ranMs - restedMs
      }
    } finally {
      this.#giveBack(this.#background, restAfterMs, share)
    }
  }

  async #takeSlot(signal: AbortSignal): Promise<void> {
    await this.#running.take(signal)
    try {
      await this.#untilLivePauses(signal)
    } catch (error) {
      this.#running.giveBack()
      throw error
    }
  }

  /** Frees the slot after its rest. The finished piece doesn't wait for it. */
  #giveBack(slots: Slots, ranMs: number, share: number): void {
    const restMs = this.#isBusy ? Math.min(maxRestMs, ranMs * (1 / share - 1)) : 0
    if (restMs < 1) slots.giveBack()
    else setTimeout(() => slots.giveBack(), restMs).unref()
  }

  get #isLiveRunning(): boolean {
    for (const piece of this.#live) if (piece.isRunning) return true
    return false
  }

  async #untilLivePauses(signal: AbortSignal | null): Promise<void> {
    const deadline = performance.now() + maxYieldMs
    while (this.#isLiveRunning && performance.now() < deadline) {
      await sleep(pollMs)
      signal?.throwIfAborted()
    }
  }
}
