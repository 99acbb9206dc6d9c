/**
 * Keeps the derivation of what nobody reads yet out of the way of what answers. Live work goes as it comes. Work behind it goes at
 * full speed while there is no live work; beside live work it has two pieces at work at a time, lets live work that is under way come
 * to its end first, and rests after each piece, so that each of the two takes its share of the time and no more. It is never held up for good.
 * Who waits for a model takes nobody's time here: live work that does is in nobody's way, and work behind leaves its turn to another.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MaybePromise } from './maybe-promise.ts'

/** The share of the time that each piece at work behind may take beside live work. */
export const defaultShare = 0.25
/** Live work was there if some was under way within this time: in a conversation, people pause. */
const busyMs = 5_000
/** Pieces of work behind under way at a time, in this process, beside live work: live work finds the model's other calls free. */
const mostBehind = 4
/**
 * Of these, at work here; the others wait for a model, or for their turn. With one, what was live before can't keep up with what is said, and
 * nobody can go back to it.
 */
const mostAtWork = 2
/** A piece waits this long at most for live work under way. */
const mostWaitMs = 500
/** However long a piece took, what follows it is not held up for longer; on a machine that is overloaded they take long. */
const mostRestMs = 10_000
const lookMs = 10

export interface Pace {
  /** Records that may be read and not committed, a partition, half of them of one space; the fewer, the sooner live work gets the embedder. */
  readonly maxInFlight: number
  /** Does somebody wait for what comes of it? Beside live work, what nobody reads yet had better come in few and large pieces. */
  readonly isAwaited: boolean
  /** A space that is full and quick has room again within this time; what a slow one has is read past. */
  readonly roomMs: number
  /** Runs a piece of work when it is its turn. @throws the signal's reason if it aborts before */
  run<T>(work: () => MaybePromise<T>, signal: AbortSignal): MaybePromise<T>
  /** Within a long piece of work, before each part that takes up the processor. */
  breath(): Promise<void>
  /** Within a piece of work, what is done elsewhere and only waited for here. */
  elsewhere<T>(work: () => Promise<T>): Promise<T>
}

const liveInFlight = 1_024
const inFlightBehind = 128
const roomMs = 200

/** For who runs alone. */
export const atOnce: Pace = {
  maxInFlight: liveInFlight,
  isAwaited: true,
  roomMs,
  run: (work) => work(),
  breath: async () => {},
  elsewhere: (work) => work(),
}

/** A piece of work that is under way. */
class Piece {
  readonly #startedAt = performance.now()
  readonly #onLeave: (tookMs: number) => void
  #hasLeft = false
  /** Of what it waits for, several at once. */
  #elsewhere = 0
  #elsewhereFrom = 0
  #elsewhereMs = 0

  /** @param onLeave told, once, when it first goes elsewhere, or ends */
  constructor(onLeave: (tookMs: number) => void) {
    this.#onLeave = onLeave
  }

  get isHere(): boolean {
    return this.#elsewhere === 0
  }

  /** When it is here. */
  get tookHereMs(): number {
    return performance.now() - this.#startedAt - this.#elsewhereMs
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#onLeave(this.tookHereMs)
  }

  async elsewhere<T>(work: () => Promise<T>): Promise<T> {
    this.leave()
    if (this.isHere) this.#elsewhereFrom = performance.now()
    this.#elsewhere += 1
    try {
      return await work()
    } finally {
      this.#elsewhere -= 1
      if (this.isHere) this.#elsewhereMs += performance.now() - this.#elsewhereFrom
    }
  }
}

/** Limited for as long as there is live work. Who waits longest hears first of a place: whoever gave it back is about to ask again. */
class Places {
  readonly #most: number
  readonly #isBusy: () => boolean
  readonly #waiting: { wake(): void }[] = []
  #taken = 0

  constructor(most: number, isBusy: () => boolean) {
    this.#most = most
    this.#isBusy = isBusy
  }

  async take(signal: AbortSignal): Promise<void> {
    const waiter = { wake: () => {} }
    this.#waiting.push(waiter)
    try {
      while (this.#isBusy() && this.#taken >= this.#most) {
        const woken = Promise.withResolvers<void>()
        waiter.wake = woken.resolve
        const look = setTimeout(woken.resolve, lookMs)
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
export class Traffic {
  readonly #live = new Set<Piece>()
  readonly #pieces = new AsyncLocalStorage<Piece>()
  #lastLiveAt = Number.NEGATIVE_INFINITY
  readonly #behind = new Places(mostBehind, () => this.#isBusy)
  readonly #atWork = new Places(mostAtWork, () => this.#isBusy)

  /** @param isLive asked each time, since what is live changes */
  pace(options: { isLive(): boolean; share(): number }): Pace {
    const isAwaited = () => options.isLive() || !this.#isBusy
    return {
      get maxInFlight() {
        return isAwaited() ? liveInFlight : inFlightBehind
      },
      get isAwaited() {
        return isAwaited()
      },
      roomMs,
      run: (work, signal) => (options.isLive() ? this.#runLive(work) : this.#runBehind(work, options.share(), signal)),
      breath: async () => {
        if (!options.isLive()) await this.#calm(null)
      },
      elsewhere: (work) => this.#pieces.getStore()?.elsewhere(work) ?? work(),
    }
  }

  get #isBusy(): boolean {
    return this.#live.size > 0 || performance.now() - this.#lastLiveAt < busyMs
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

  async #runBehind<T>(work: () => MaybePromise<T>, share: number, signal: AbortSignal): Promise<T> {
    await this.#behind.take(signal)
    let restFor = 0
    try {
      await this.#takeTurn(signal)
      let beforeMs = 0
      const piece = new Piece((tookMs) => {
        beforeMs = tookMs
        this.#giveBack(this.#atWork, tookMs, share)
      })
      try {
        return await this.#pieces.run(piece, work)
      } finally {
        piece.leave()
        // It comes back without a turn, so that no answer waits for one.
        restFor = piece.tookHereMs - beforeMs
      }
    } finally {
      this.#giveBack(this.#behind, restFor, share)
    }
  }

  async #takeTurn(signal: AbortSignal): Promise<void> {
    await this.#atWork.take(signal)
    try {
      await this.#calm(signal)
    } catch (error) {
      this.#atWork.giveBack()
      throw error
    }
  }

  /** After the rest; what was done is not held up by it. */
  #giveBack(places: Places, tookMs: number, share: number): void {
    const restMs = this.#isBusy ? Math.min(mostRestMs, tookMs * (1 / share - 1)) : 0
    if (restMs < 1) places.giveBack()
    else setTimeout(() => places.giveBack(), restMs).unref()
  }

  get #isLiveHere(): boolean {
    for (const piece of this.#live) if (piece.isHere) return true
    return false
  }

  async #calm(signal: AbortSignal | null): Promise<void> {
    const deadline = performance.now() + mostWaitMs
    while (this.#isLiveHere && performance.now() < deadline) {
      await sleep(lookMs)
      signal?.throwIfAborted()
    }
  }
}
