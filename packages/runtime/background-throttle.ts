/**
 * Throttles background derivations so that they don't slow the live generation.
 *
 * Without live work, background work runs at full speed. Beside live work:
 * 1. At most `maxBackground` pieces are started, and `maxRunning` of them use this process's CPU; the others wait for a model.
 * 2. A piece lets running live work finish first, and again between its parts.
 * 3. After each piece its slot rests, so that a slot is busy for `share` of the time. The waits of 2 are part of this rest and no longer than it:
 *    a slot has its share although live work never pauses.
 * Time spent waiting for a model counts as neither: it costs this process nothing.
 *
 * Asks ahead (asks-ahead.ts) don't wait for a slot. Their number is bounded by the records in flight, and the model's in-flight limiter lets
 * live calls go first.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackgroundSlots } from './background-slots.ts'
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
/** Bounds the wait before a part's first piece, and each wait of a long one. */
const maxYieldMs = 500
/** Bounds the rest after a piece that took long because the machine is overloaded. */
const maxRestMs = 10_000
/** Interval at which a piece that lets live work go first looks whether that has paused: at most `maxRunning` pieces do. */
const pollMs = 10
/** Fewer records in flight mean that live work gets the embedder sooner. */
const backgroundInFlight = 128

interface PieceOptions {
  readonly share: number
  /** How long it let live work go first before it began. */
  readonly yieldedMs: number
  /** Called once: at the first wait for a model, or at the end. */
  onLeave(): void
}

/** A running piece of work, and how long it used this process's CPU. */
class Piece {
  readonly #startedAt = performance.now()
  readonly #options: PieceOptions
  #hasLeft = false
  /** How many waits are open at once. */
  #waits = 0
  #waitsSince = 0
  #waitedMs = 0
  #yieldedMs: number

  constructor(options: PieceOptions) {
    this.#options = options
    this.#yieldedMs = options.yieldedMs
  }

  get isRunning(): boolean {
    return this.#waits === 0
  }

  /** The time off that its share demands for the time that it ran. */
  get restMs(): number {
    const ranMs = performance.now() - this.#startedAt - this.#waitedMs
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

/** A stage or a view under a throttle. */
interface Part {
  /** Of its last piece: bounds the wait before the next one. */
  usualRestMs: number
}

/** One for each process. */
export class BackgroundThrottle {
  readonly #live = new Set<Piece>()
  readonly #pieces = new AsyncLocalStorage<Piece>()
  #lastLiveAt = Number.NEGATIVE_INFINITY
  readonly #background = new BackgroundSlots(maxBackground, () => this.#isBusy)
  readonly #running = new BackgroundSlots(maxRunning, () => this.#isBusy)
  #idleTimer: NodeJS.Timeout | null = null

  /** @param isLive asked for every piece, since promotions change it */
  throttle(options: { isLive(): boolean; share(): number }): Throttle {
    const isUrgent = () => options.isLive() || !this.#isBusy
    const part: Part = { usualRestMs: maxYieldMs }
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
    return this.#live.size > 0 || performance.now() - this.#lastLiveAt < liveLingerMs
  }

  #runLive<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    const piece = new Piece({ share: 1, yieldedMs: 0, onLeave() {} })
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
      const piece = new Piece({ share, yieldedMs, onLeave })
      try {
        return await this.#pieces.run(piece, work)
      } finally {
        piece.leave()
        part.usualRestMs = piece.restMs
        // After a wait, a piece continues without a slot, so that no recorded answer waits for one. It rests for that time later.
        restAfterMs = piece.owedMs - restedMs
      }
    } finally {
      this.#giveBack(this.#background, restAfterMs)
    }
  }

  /** Returns how long it let live work go first. */
  async #takeSlot(part: Part, signal: AbortSignal): Promise<number> {
    await this.#take(this.#running, signal)
    try {
      return await this.#untilLivePauses(part.usualRestMs, signal)
    } catch (error) {
      this.#running.giveBack()
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
    if (this.#idleTimer !== null) return
    const idleInMs = this.#live.size > 0 ? liveLingerMs : this.#lastLiveAt + liveLingerMs - performance.now()
    const fill = () => {
      this.#idleTimer = null
      this.#background.fill()
      this.#running.fill()
      if (this.#hasWaiting) this.#fillWhenIdle()
    }
    this.#idleTimer = setTimeout(fill, Math.max(1, idleInMs))
  }

  #forgetIdleTimer(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
  }

  /** Frees the slot after its rest. The finished piece doesn't wait for it. */
  #giveBack(slots: BackgroundSlots, owedMs: number): void {
    const restMs = this.#isBusy ? Math.min(maxRestMs, owedMs) : 0
    if (restMs < 1) slots.giveBack()
    else setTimeout(() => slots.giveBack(), restMs).unref()
  }

  get #isLiveRunning(): boolean {
    for (const piece of this.#live) if (piece.isRunning) return true
    return false
  }

  /** Returns how long it waited. */
  async #untilLivePauses(mostMs: number, signal: AbortSignal | null): Promise<number> {
    const startedAt = performance.now()
    const waitedMs = () => performance.now() - startedAt
    const leftMs = () => Math.min(maxYieldMs, mostMs) - waitedMs()
    while (this.#isLiveRunning && leftMs() >= 1) {
      await sleep(Math.min(pollMs, leftMs()))
      signal?.throwIfAborted()
    }
    return waitedMs()
  }
}
