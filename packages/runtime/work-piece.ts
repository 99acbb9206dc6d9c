/**
 * A piece of work and its CPU time: it runs, pauses while it waits for a model, and ends. Each pause, resumption and end is reported, the
 * end as a pause if the piece runs.
 */
export interface PieceListener {
  paused(piece: WorkPiece): void
  resumed(): void
}

export class WorkPiece {
  readonly #listener: PieceListener
  #runningSince = performance.now()
  #ranMs = 0
  /** How many waits are open at once. */
  #waits = 0
  #hasEnded = false

  constructor(listener: PieceListener) {
    this.#listener = listener
  }

  /** How long it has used this process's CPU, up to the last pause. */
  get ranMs(): number {
    return this.#ranMs
  }

  async whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    this.#waits += 1
    if (this.#waits === 1) this.#pause()
    try {
      return await wait()
    } finally {
      this.#waits -= 1
      if (this.#waits === 0) this.#resume()
    }
  }

  /** Waits may still be open: a step that throws leaves them behind. They report nothing any more. */
  end(): void {
    if (this.#waits === 0) this.#pause()
    this.#hasEnded = true
  }

  #pause(): void {
    if (this.#hasEnded) return
    this.#ranMs += performance.now() - this.#runningSince
    this.#listener.paused(this)
  }

  #resume(): void {
    if (this.#hasEnded) return
    this.#runningSince = performance.now()
    this.#listener.resumed()
  }
}
