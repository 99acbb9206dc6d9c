/**
 * Throttles background derivations so that they don't slow the live generation.
 *
 * Without live work, background work runs at full speed. Beside live work:
 * 1. At most `maxBackground` pieces are started, and `maxRunning` of them use this process's CPU; the others wait for a model.
 * 2. A piece waits for running live work before it begins, and again between its parts.
 * 3. After each piece its slot rests, so that a slot is busy for `share` of the time. The waits of 2 count towards this
 *    rest and are no longer than it, so a slot has its share even beside live work that never pauses.
 * A wait for a model counts neither as work nor as rest: it uses no CPU of this process.
 *
 * Asks ahead (asks-ahead.ts) don't wait for a slot. Their number is bounded by the records in flight, and the model's in-flight limiter lets
 * live calls go first.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { BackgroundSlots } from './background-slots.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { defaultRoomWaitMs, liveMaxInFlight, type Throttle } from './throttle.ts'
import { systemClock, type ThrottleClock } from './throttle-clock.ts'

/** The share of the time that each background slot is busy beside live work. */
export const defaultBackgroundShare = 0.25
/** Live work counts as present for this long after it ends: people pause in a conversation. */
const liveLingerMs = 5_000
/** Leaves most of the model's in-flight limit to live work. */
const maxBackground = 4
/** With one, the previous generation falls behind after a promotion, and can't be rolled back to. */
const maxRunning = 2
/** Longest single wait for live work. */
const maxYieldMs = 500
/** Bounds the rest after a piece that took long because the machine is overloaded. */
const maxRestMs = 10_000
/** Poll interval of a piece that waits for live work to pause: at most `maxRunning` pieces poll. */
const pollMs = 10
/** With fewer records in flight, live work gets the embedder sooner. */
const backgroundInFlight = 128

interface PieceOptions {
  readonly clock: ThrottleClock
  readonly share: number
  /** How long it waited for live work before it began. */
  readonly yieldedMs: number
  /** Called once: at the first wait for a model, or at the end. */
  onLeave(): void
}

/** A running piece of work, and how long it used this process's CPU. */
class Piece {
  readonly #startedAt: number
  readonly #options: PieceOptions
  #hasLeft = false
  /** How many waits are open at once. */
  #waits = 0
  #waitsSince = 0
  #waitedMs = 0
  #yieldedMs: number

  constructor(options: PieceOptions) {
    this.#options = options
    this.#startedAt = options.clock.now()
    this.#yieldedMs = options.yieldedMs
  }

  get isRunning(): boolean {
    return this.#waits === 0
  }

  /** The rest that its share requires for the time that it ran. */
  get restMs(): number {
    const ranMs = this.#options.clock.now() - this.#startedAt - this.#waitedMs
    return ranMs * (1 / this.#options.share - 1)
  }

  /** The part of the rest that is still to come. */
  get owedMs(): number {
    return Math.max(0, this.restMs - this.#yieldedMs)
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#options.onLeave()
  }

  async whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    this.leave()
    return this.#uncounted(work)
  }

  /** Keeps its slot. @param wait takes `owedMs` at most */
  async yielding(wait: () => Promise<number>): Promise<void> {
    this.#yieldedMs += await this.#uncounted(wait)
  }

  async #uncounted<T>(work: () => Promise<T>): Promise<T> {
    if (this.isRunning) this.#waitsSince = this.#options.clock.now()
    this.#waits += 1
    try {
      return await work()
    } finally {
      this.#waits -= 1
      if (this.isRunning) this.#waitedMs += this.#options.clock.now() - this.#waitsSince
    }
  }
}

/** A stage or a view under a throttle. */
interface Part {
  /** The rest that its last piece required: bounds the wait before the next one. */
  usualRestMs: number
}

/** One for each process. */
export class BackgroundThrottle {
  readonly #clock: ThrottleClock
  readonly #live = new Set<Piece>()
  readonly #pieces = new AsyncLocalStorage<Piece>()
  #lastLiveAt = Number.NEGATIVE_INFINITY
  readonly #background = new BackgroundSlots(maxBackground, () => this.#isBusy)
  readonly #running = new BackgroundSlots(maxRunning, () => this.#isBusy)
  /** Cancels the idle timer. */
  #cancelIdleTimer: (() => void) | null = null

  constructor(clock = systemClock) {
    this.#clock = clock
  }

  /** @param isLive called for every piece, since promotions change it */
  throttle(options: { isLive(): boolean; share(): number }): Throttle {
    const isBesideLiveWork = () => !options.isLive() && this.#isBusy
    const part: Part = { usualRestMs: maxYieldMs }
    return {
      get maxInFlight() {
        return isBesideLiveWork() ? backgroundInFlight : liveMaxInFlight
      },
      get isLive() {
        return options.isLive()
      },
      get isBesideLiveWork() {
        return isBesideLiveWork()
      },
      roomWaitMs: defaultRoomWaitMs,
      run: (work, signal) =>
        options.isLive() ? this.#runLive(work) : this.#runBackground(work, { part, share: options.share(), signal }),
      yieldToLive: async () => {
        const piece = this.#pieces.getStore()
        if (options.isLive() || !this.#isLiveRunning) return
        // An ask ahead of its turn has no piece.
        if (piece === undefined) await this.#untilLivePauses(maxYieldMs, null)
        else await piece.yielding(() => this.#untilLivePauses(piece.owedMs, null))
      },
      whileWaiting: (work) => this.#pieces.getStore()?.whileWaiting(work) ?? work(),
    }
  }

  get #isBusy(): boolean {
    return this.#live.size > 0 || this.#clock.now() - this.#lastLiveAt < liveLingerMs
  }

  #runLive<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    const piece = new Piece({ clock: this.#clock, share: 1, yieldedMs: 0, onLeave() {} })
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
    this.#lastLiveAt = this.#clock.now()
  }

  async #runBackground<T>(
    work: () => MaybePromise<T>,
    { part, share, signal }: { readonly part: Part; readonly share: number; readonly signal: AbortSignal },
  ): Promise<T> {
    await this.#take(this.#background, signal)
    let restAfterMs = 0
    try {
      const yieldedMs = await this.#takeSlot(part, signal)
      let restedMs = 0
      const onLeave = () => {
        restedMs = piece.owedMs
        this.#giveBack(this.#running, restedMs)
      }
      const piece = new Piece({ clock: this.#clock, share, yieldedMs, onLeave })
      try {
        return await this.#pieces.run(piece, work)
      } finally {
        piece.leave()
        part.usualRestMs = piece.restMs
        // After a wait for a model, a piece continues without its slot, so that no answer waits for one. Its rest for
        // that time follows.
        restAfterMs = piece.owedMs - restedMs
      }
    } finally {
      this.#giveBack(this.#background, restAfterMs)
    }
  }

  /** @returns how long it waited for live work */
  async #takeSlot(part: Part, signal: AbortSignal): Promise<number> {
    await this.#take(this.#running, signal)
    try {
      return await this.#untilLivePauses(part.usualRestMs, signal)
    } catch (error) {
      this.#running.release()
      throw error
    }
  }

  async #take(slots: BackgroundSlots, signal: AbortSignal): Promise<void> {
    const taken = slots.take(signal)
    if (!slots.hasWaiting) return taken
    this.#fillWhenIdle()
    try {
      await taken
    } finally {
      if (!this.#hasWaiting) this.#forgetIdleTimer()
    }
  }

  get #hasWaiting(): boolean {
    return this.#background.hasWaiting || this.#running.hasWaiting
  }

  /** Lets waiting pieces start once there is no live work. The timer is set while a piece waits, and fires every few seconds at most. */
  #fillWhenIdle(): void {
    if (this.#cancelIdleTimer !== null) return
    const idleInMs = this.#live.size > 0 ? liveLingerMs : this.#lastLiveAt + liveLingerMs - this.#clock.now()
    const fill = () => {
      this.#cancelIdleTimer = null
      this.#background.fill()
      this.#running.fill()
      if (this.#hasWaiting) this.#fillWhenIdle()
    }
    this.#cancelIdleTimer = this.#clock.after(Math.max(1, idleInMs), fill)
  }

  #forgetIdleTimer(): void {
    this.#cancelIdleTimer?.()
    this.#cancelIdleTimer = null
  }

  /** Frees the slot after its rest. The finished piece doesn't wait for it. */
  #giveBack(slots: BackgroundSlots, owedMs: number): void {
    const restMs = this.#isBusy ? Math.min(maxRestMs, owedMs) : 0
    if (restMs < 1) slots.release()
    else this.#clock.after(restMs, () => slots.release(), { hold: 'nothing' })
  }

  get #isLiveRunning(): boolean {
    for (const piece of this.#live) if (piece.isRunning) return true
    return false
  }

  /** @returns how long it waited */
  async #untilLivePauses(mostMs: number, signal: AbortSignal | null): Promise<number> {
    const startedAt = this.#clock.now()
    const waitedMs = () => this.#clock.now() - startedAt
    const leftMs = () => Math.min(maxYieldMs, mostMs) - waitedMs()
    while (this.#isLiveRunning && leftMs() >= 1) {
      await new Promise<void>((resolve) => this.#clock.after(Math.min(pollMs, leftMs()), resolve))
      signal?.throwIfAborted()
    }
    return waitedMs()
  }
}
