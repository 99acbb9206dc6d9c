/**
 * Virtual time for simulated processes: timers and clocks of this whole process, replaced while a history runs.
 * Production code needs no injected clock, because it is the built-ins that change; nothing that is awaited may be real
 * I/O.
 *
 * V1. Time stands still while code runs, and moves to the next timer when nothing is left to run.
 * V2. The seed decides the order of timers that are due at the same time, and how many microtasks run between two of
 * them. V3. A timer belongs to the process that set it. A killed process's timers never fire; a stopped one's fire when
 * it resumes.
 *     Immediates belong to all: simulated processes share the event loop's slices, which a killed one must not keep.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import type { Random } from './random.ts'

/** The wall clock starts here, so that log times look like times. */
const epochMs = 1_700_000_000_000
/** Timers within this time of each other may fire without all microtasks in between. */
const raceMs = 1
const maxMicrotasks = 12

/** A simulated process: the owner of timers. */
export class Owner {
  readonly name: string
  isKilled = false
  stoppedUntilMs = 0

  constructor(name: string) {
    this.name = name
  }
}

class Timer {
  readonly owner: Owner | null
  /**
   * Timers of one process that are due at the same time fire in this order; those of several processes in a random one.
   */
  readonly order: number
  readonly tie: number
  readonly fire: () => void
  dueMs: number
  isCancelled = false

  constructor(owner: Owner | null, dueMs: number, { order, tie }: Pick<Timer, 'order' | 'tie'>, fire: () => void) {
    this.owner = owner
    this.dueMs = dueMs
    this.order = order
    this.tie = tie
    this.fire = fire
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

const real = {
  setTimeout,
  clearTimeout,
  setInterval,
  setImmediate,
  clearImmediate,
  performanceNow: performance.now,
  dateNow: Date.now,
  sleep: timers.setTimeout,
  turn: timers.setImmediate,
}

export class VirtualTime {
  readonly #random: Random
  readonly #owners = new AsyncLocalStorage<Owner>()
  #queue: Timer[] = []
  #nowMs = 0
  #fired = 0
  /** The number of timers that were set. */
  #set = 0

  constructor(random: Random) {
    this.#random = random
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** The number of timers that have fired. */
  get fired(): number {
    return this.#fired
  }

  /** Runs code as a process. */
  as<T>(owner: Owner, run: () => T): T {
    return this.#owners.run(owner, run)
  }

  /** Simulates code that takes this long: the clock moves, and timers fire late. */
  spend(ms: number): void {
    this.#nowMs += ms
  }

  /**
   * Runs until the promise is settled.
   * @throws its reason, or an error if nothing is left to run, or `maxMs` have passed
   */
  async until<T>(done: Promise<T>, maxMs: number): Promise<T> {
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    done.then(settle, settle)
    const deadline = this.#nowMs + maxMs
    for (;;) {
      await new Promise<void>((resolve) => real.setImmediate(resolve))
      if (isSettled) return done
      if (this.#nowMs > deadline) throw new Error(`no end after ${maxMs} ms of virtual time`)
      const next = this.#next()
      if (next === null) throw new Error('nothing is left to run, and it is not done')
      this.#fire(next)
      await this.#raceOthers()
    }
  }

  /** Fires timers that are due at about the same time after a few microtasks, so that their reactions interleave. */
  async #raceOthers(): Promise<void> {
    while (this.#random(2) === 0) {
      for (let hops = this.#random(maxMicrotasks); hops > 0; hops -= 1) await null
      const next = this.#next()
      if (next === null) return
      if (next.dueMs > this.#nowMs + raceMs) {
        this.#queue.push(next)
        return
      }
      this.#fire(next)
    }
  }

  #fire(timer: Timer): void {
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs)
    this.#fired += 1
    timer.fire()
  }

  /** Removes the timer that is due next from the queue. */
  #next(): Timer | null {
    let best: Timer | null = null
    let at = -1
    for (let index = this.#queue.length - 1; index >= 0; index -= 1) {
      const timer = this.#queue[index] as Timer
      if (timer.isCancelled || timer.owner?.isKilled) {
        this.#take(index)
        if (at === this.#queue.length) at = index
        continue
      }
      timer.dueMs = Math.max(timer.dueMs, timer.owner?.stoppedUntilMs ?? 0)
      if (best !== null && !isBefore(timer, best)) continue
      best = timer
      at = index
    }
    if (best !== null) this.#take(at)
    return best
  }

  /** Removes the timer at the index; the last timer of the queue moves there. */
  #take(index: number): void {
    const last = this.#queue.pop() as Timer
    if (index < this.#queue.length) this.#queue[index] = last
  }

  #after(ms: number, fire: () => void): Timer {
    const owner = this.#owners.getStore() ?? null
    const run = owner === null ? fire : () => this.#owners.run(owner, fire)
    const timer = new Timer(
      owner,
      this.#nowMs + Math.max(0, ms),
      { order: this.#set, tie: this.#random(1_000_000) },
      run,
    )
    this.#set += 1
    this.#queue.push(timer)
    return timer
  }

  /** Replaces timers and clocks until `uninstall`. */
  install(): void {
    const cancel = (timer: Timer | undefined) => {
      if (timer instanceof Timer) timer.isCancelled = true
    }
    const later = (fire: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      this.#after(ms, () => fire(...args))
    const soon = (fire: (...args: unknown[]) => void, ...args: unknown[]) =>
      this.#owners.exit(() => later(fire, 0, ...args))
    Object.assign(globalThis, {
      setTimeout: later,
      clearTimeout: cancel,
      setInterval: notSimulated,
      setImmediate: soon,
      clearImmediate: cancel,
    })
    performance.now = () => this.#nowMs
    Date.now = () => epochMs + Math.floor(this.#nowMs)
    const sleep = (ms?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) =>
      new Promise((resolve, reject) => {
        const timer = this.#after(ms ?? 0, () => resolve(value))
        const abort = () => {
          cancel(timer)
          reject(options?.signal?.reason)
        }
        if (options?.signal?.aborted) abort()
        options?.signal?.addEventListener('abort', abort, { once: true })
      })
    const turn = (value?: unknown) => this.#owners.exit(() => sleep(0, value))
    Object.assign(timers, { setTimeout: sleep, setImmediate: turn })
    syncBuiltinESMExports()
  }

  /** Fires the immediates that are left, and restores the real timers. */
  async uninstall(): Promise<void> {
    for (const owner of new Set(this.#queue.map((timer) => timer.owner))) if (owner !== null) owner.isKilled = true
    for (let next = this.#next(); next !== null; next = this.#next()) {
      if (next.dueMs > this.#nowMs) continue
      this.#fire(next)
      await new Promise<void>((resolve) => real.setImmediate(resolve))
    }
    const { sleep, turn, performanceNow, dateNow, ...globals } = real
    Object.assign(globalThis, globals)
    performance.now = performanceNow
    Date.now = dateNow
    Object.assign(timers, { setTimeout: sleep, setImmediate: turn })
    syncBuiltinESMExports()
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  if (one.dueMs !== other.dueMs) return one.dueMs < other.dueMs
  return one.owner === other.owner ? one.order < other.order : one.tie < other.tie
}

function notSimulated(): never {
  throw new Error('setInterval is not simulated: use setTimeout')
}
