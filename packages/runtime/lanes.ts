/**
 * Lanes order the work of a space. A piece starts when the one before it in its lane is done, at once in an idle lane.
 * Lanes run side by side. A piece for the whole space (lane null) waits for everything before it in its space, and
 * everything after it there waits for it. The first failure is reported. The caller then aborts the signal, so waiting
 * work never starts.
 */
import type { MaybePromise } from './maybe-promise.ts'

export interface LaneWork {
  readonly space: string
  /** Null: the whole space. */
  readonly lane: string | null
  run(): MaybePromise<void>
}

interface Space {
  readonly name: string
  /** Waiting work, by lane with running work. */
  readonly lanes: Map<string | null, LaneWork[]>
  /** The first piece that has to wait for all lanes, and all work after it. */
  readonly blocked: LaneWork[]
}

export class Lanes {
  readonly #signal: AbortSignal
  readonly #onFailure: (error: unknown) => void
  readonly #spaces = new Map<string, Space>()
  #onIdle: (() => void)[] = []

  constructor(signal: AbortSignal, onFailure: (error: unknown) => void) {
    this.#signal = signal
    this.#onFailure = onFailure
  }

  /** Number of spaces with running or waiting work. */
  get size(): number {
    return this.#spaces.size
  }

  add(work: LaneWork): void {
    const space: Space = this.#spaces.get(work.space) ?? { name: work.space, lanes: new Map(), blocked: [] }
    this.#spaces.set(work.space, space)
    space.blocked.push(work)
    this.#start(space)
  }

  /** Resolves when no work is running. */
  async idle(): Promise<void> {
    if (this.#spaces.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Starts pieces in order, up to the first that has to wait. */
  #start(space: Space): void {
    for (let next = space.blocked[0]; next && isFree(space, next.lane); next = space.blocked[0]) {
      space.blocked.shift()
      const waiting = space.lanes.get(next.lane)
      if (waiting) waiting.push(next)
      else this.#open(space, next)
    }
  }

  #open(space: Space, first: LaneWork): void {
    const waiting = [first]
    space.lanes.set(first.lane, waiting)
    this.#run(space, first.lane, waiting)
  }

  #close(space: Space, lane: string | null): void {
    space.lanes.delete(lane)
    this.#start(space)
    if (space.lanes.size > 0 || this.#spaces.get(space.name) !== space) return
    this.#spaces.delete(space.name)
    if (this.#spaces.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  #run(space: Space, lane: string | null, waiting: LaneWork[]): void {
    while (waiting.length > 0) {
      const done = this.#one(waiting.shift() as LaneWork)
      if (done) {
        void this.#runOn(space, lane, waiting, done)
        return
      }
    }
    this.#close(space, lane)
  }

  async #runOn(space: Space, lane: string | null, waiting: LaneWork[], first: Promise<void>): Promise<void> {
    await first
    while (waiting.length > 0) await this.#one(waiting.shift() as LaneWork)
    // Synchronous with the check: work added later must not join a closed lane.
    this.#close(space, lane)
  }

  /** Never throws, and never rejects. */
  #one(work: LaneWork): MaybePromise<void> {
    if (this.#signal.aborted) return
    try {
      return work.run()?.catch(this.#onFailure)
    } catch (error) {
      this.#onFailure(error)
    }
  }
}

function isFree({ lanes }: Space, lane: string | null): boolean {
  return lane === null ? lanes.size === 0 : !lanes.has(null)
}
