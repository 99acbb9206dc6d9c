/**
 * Lanes: work that waits for each other. A piece starts when the one before it in its lane is done; lanes run side by side. A
 * piece for the whole space (lane null) waits for everything before it in its space, and everything after it there waits for it.
 * The first failure is told; what still waits then never starts, because whoever hears of it aborts the signal.
 */
export interface Work {
  readonly space: string
  /** Null: the whole space. */
  readonly lane: string | null
  run(): Promise<void>
}

export class Lanes {
  readonly #signal: AbortSignal
  readonly #onFailure: (error: unknown) => void
  /** The last piece of each lane, by space. */
  readonly #spaces = new Map<string, Map<string | null, Promise<void>>>()

  constructor(signal: AbortSignal, onFailure: (error: unknown) => void) {
    this.#signal = signal
    this.#onFailure = onFailure
  }

  /** How many spaces have something at work or waiting. */
  get size(): number {
    return this.#spaces.size
  }

  add({ space, lane, run }: Work): void {
    const tails = this.#spaces.get(space) ?? new Map<string | null, Promise<void>>()
    const before = lane === null ? Promise.all(tails.values()) : (tails.get(lane) ?? tails.get(null))
    const tail = this.#after(before, run)
    if (lane === null) tails.clear()
    tails.set(lane, tail)
    this.#spaces.set(space, tails)
    void tail.then(() => {
      if (tails.get(lane) === tail) tails.delete(lane)
      if (tails.size === 0 && this.#spaces.get(space) === tails) this.#spaces.delete(space)
    })
  }

  /** Until nothing that was added is at work. */
  async idle(): Promise<void> {
    await Promise.all([...this.#spaces.values()].flatMap((tails) => [...tails.values()]))
  }

  /** Never rejects. */
  async #after(before: Promise<unknown> | undefined, run: () => Promise<void>): Promise<void> {
    try {
      await before
      if (!this.#signal.aborted) await run()
    } catch (error) {
      this.#onFailure(error)
    }
  }
}
