/**
 * Throttles background derivations so that they don't slow the live generation.
 *
 * Without live work, background work runs at full speed. Beside live work:
 * 1. At most `maxBackground` pieces are started, and `maxRunning` of them use this process's CPU; the others wait for a model.
 * 2. A piece lets running live work finish first, for `maxYieldMs` at most, so background work never starves.
 * 3. After each piece its slot rests, so that a slot is busy for `share` of the time.
 * Time spent waiting for a model counts as neither: it costs this process nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { BackgroundSlots } from './background-slots.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { liveInFlight, roomWaitMs, type Throttle } from './throttle.ts'
import { type PieceListener, WorkPiece } from './work-piece.ts'

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
/** Fewer records in flight mean that live work gets the embedder sooner. */
const backgroundInFlight = 128

/** One for each process. */
export class BackgroundThrottle {
  readonly #pieces = new AsyncLocalStorage<WorkPiece>()
  /** Started and not ended, and of these the ones that use this process's CPU. */
  #livePieces = 0
  #liveRunning = 0
  #lastLiveAt = Number.NEGATIVE_INFINITY
  /** Each wakes a background piece that yields to running live work. */
  readonly #yielding = new Set<() => void>()
  readonly #background = new BackgroundSlots(maxBackground, () => this.#isBusy)
  readonly #running = new BackgroundSlots(maxRunning, () => this.#isBusy)
  #idleTimer: NodeJS.Timeout | null = null

  readonly #ofLive: PieceListener = {
    paused: () => {
      this.#liveRunning -= 1
      if (this.#yielding.size > 0) setImmediate(() => this.#wakeYielding())
    },
    resumed: () => {
      this.#liveRunning += 1
    },
  }

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
    return this.#livePieces > 0 || performance.now() - this.#lastLiveAt < liveLingerMs
  }

  #runLive<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    const piece = new WorkPiece(this.#ofLive)
    this.#livePieces += 1
    this.#liveRunning += 1
    let done: MaybePromise<T> | null = null
    try {
      done = this.#pieces.run(piece, work)
      return done instanceof Promise ? done.finally(() => this.#liveEnded(piece)) : done
    } finally {
      if (!(done instanceof Promise)) this.#liveEnded(piece)
    }
  }

  #liveEnded(piece: WorkPiece): void {
    piece.end()
    this.#livePieces -= 1
    this.#lastLiveAt = performance.now()
  }

  async #runBackground<T>(work: () => MaybePromise<T>, share: number, signal: AbortSignal): Promise<T> {
    await this.#take(this.#background, signal)
    let restAfterMs = 0
    try {
      await this.#takeRunning(signal)
      let freedAfterMs: number | null = null
      const piece = new WorkPiece({
        paused: ({ ranMs }) => {
          if (freedAfterMs !== null) return
          freedAfterMs = ranMs
          this.#giveBack(this.#running, ranMs, share)
        },
        resumed: () => {},
      })
      try {
        return await this.#pieces.run(piece, work)
      } finally {
        piece.end()
        // After a wait, a piece continues without a slot, so that no recorded answer waits for one. It rests for that time later.
        restAfterMs = piece.ranMs - (freedAfterMs ?? 0)
      }
    } finally {
      this.#giveBack(this.#background, restAfterMs, share)
    }
  }

  async #takeRunning(signal: AbortSignal): Promise<void> {
    await this.#take(this.#running, signal)
    try {
      await this.#untilLivePauses(signal)
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
    const idleInMs = this.#livePieces > 0 ? liveLingerMs : this.#lastLiveAt + liveLingerMs - performance.now()
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
  #giveBack(slots: BackgroundSlots, ranMs: number, share: number): void {
    const restMs = this.#isBusy ? Math.min(maxRestMs, ranMs * (1 / share - 1)) : 0
    if (restMs < 1) slots.giveBack()
    else setTimeout(() => slots.giveBack(), restMs).unref()
  }

  async #untilLivePauses(signal: AbortSignal | null): Promise<void> {
    signal?.throwIfAborted()
    if (this.#liveRunning === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const deadline = setTimeout(wake, maxYieldMs)
    this.#yielding.add(wake)
    signal?.addEventListener('abort', wake)
    await promise
    clearTimeout(deadline)
    this.#yielding.delete(wake)
    signal?.removeEventListener('abort', wake)
    signal?.throwIfAborted()
  }

  /** Called a turn of the event loop after a pause: live work that continues within the turn has not paused. */
  #wakeYielding(): void {
    if (this.#liveRunning === 0) for (const wake of this.#yielding) wake()
  }
}
