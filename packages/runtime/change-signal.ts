/**
 * Wakes the loops of a lease at a change: a record was accepted or finished, a commit succeeded, the run ended. Every
 * record makes several changes. So `notify` itself checks the conditions, and wakes only the loops whose condition
 * holds.
 */
interface Waiter {
  holds(): boolean
  resolve(): void
}

export class ChangeSignal {
  readonly #waiters = new Set<Waiter>()

  notify(): void {
    for (const waiter of this.#waiters) if (waiter.holds()) this.#end(waiter)
  }

  /** Resolves at the next change. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add({ holds: () => true, resolve }))
  }

  /** Resolves when the condition holds. */
  when(holds: () => boolean): Promise<void> {
    return holds() ? Promise.resolve() : new Promise((resolve) => this.#waiters.add({ holds, resolve }))
  }

  /** Resolves when the condition holds, after `maxMs` at the latest. */
  until(holds: () => boolean, maxMs: number): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise((resolve) => {
      const waiter = {
        holds,
        resolve() {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => this.#end(waiter), maxMs)
      this.#waiters.add(waiter)
    })
  }

  #end(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    waiter.resolve()
  }
}
