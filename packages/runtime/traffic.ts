/**
 * Keeps the derivation of what nobody reads yet out of the way of what answers. Live work goes as it comes. Work behind it goes at
 * full speed while there is no live work; beside live work it holds a few pieces at a time, lets live work that is under way come
 * to its end first, and rests after each piece, so that it takes its share of the time and no more. It is never held up for good.
 * Who waits for a model takes nobody's time here: live work that does is in nobody's way, and work behind needs no rest from it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MaybePromise } from './maybe-promise.ts'

/** The share of the time that work behind may take beside live work. */
export const defaultShare = 0.25
/** Live work was there if some was under way within this time. */
const busyMs = 1_000
/** Pieces of work behind at a time, in this process, beside live work. */
const slots = 4
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
  /** Of what it waits for, several at once. */
  #elsewhere = 0
  #elsewhereFrom = 0
  #elsewhereMs = 0

  get isHere(): boolean {
    return this.#elsewhere === 0
  }

  /** When it is done. */
  get tookHereMs(): number {
    return performance.now() - this.#startedAt - this.#elsewhereMs
  }

  async elsewhere<T>(work: () => Promise<T>): Promise<T> {
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

/** One for each process. */
export class Traffic {
  readonly #live = new Set<Piece>()
  readonly #pieces = new AsyncLocalStorage<Piece>()
  #lastLiveAt = Number.NEGATIVE_INFINITY
  #behind = 0

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
    const piece = new Piece()
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
    while (this.#isBusy && this.#behind >= slots) {
      await sleep(lookMs)
      signal.throwIfAborted()
    }
    this.#behind += 1
    let tookMs = 0
    try {
      await this.#calm(signal)
      const piece = new Piece()
      try {
        return await this.#pieces.run(piece, work)
      } finally {
        tookMs = piece.tookHereMs
      }
    } finally {
      this.#rest(tookMs, share)
    }
  }

  /** The slot is given back after the rest; what was done is not held up by it. */
  #rest(tookMs: number, share: number): void {
    const giveBack = () => {
      this.#behind -= 1
    }
    const restMs = this.#isBusy ? Math.min(mostRestMs, tookMs * (1 / share - 1)) : 0
    if (restMs < 1) giveBack()
    else setTimeout(giveBack, restMs).unref()
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
