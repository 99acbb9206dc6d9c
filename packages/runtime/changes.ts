/**
 * Wakes the loops of a lease when something changed: a record was accepted or finished, a commit succeeded, the run ended. A loop
 * checks its condition and starts to wait in the same turn, so it misses no change.
 */
export class Changes {
  #waiting: (() => void)[] = []

  notify(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Resolves when the condition holds, after `maxMs` at the latest. */
  async until(holds: () => boolean, maxMs: number): Promise<void> {
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      this.notify()
    }, maxMs)
    while (!holds() && !isOver) await this.next()
    clearTimeout(timer)
  }
}
