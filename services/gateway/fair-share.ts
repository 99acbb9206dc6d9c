/**
 * A shared limit of something in flight, such as slots or bytes. A caller has at most three quarters of it, so one key
 * leaves room for others.
 */
const callerPart = 0.75

export class FairShare {
  readonly #most: number
  readonly #mostOfCaller: number
  readonly #byCaller = new Map<string, number>()
  #all = 0

  constructor(most: number) {
    this.#most = most
    this.#mostOfCaller = Math.max(1, Math.floor(most * callerPart))
  }

  /** In flight, of all callers. */
  get all(): number {
    return this.#all
  }

  /** In flight, of this caller. */
  of(caller: string): number {
    return this.#byCaller.get(caller) ?? 0
  }

  hasRoomFor(caller: string, amount = 1): boolean {
    return this.#all + amount <= this.#most && this.of(caller) + amount <= this.#mostOfCaller
  }

  take(caller: string, amount = 1): void {
    this.#all += amount
    this.#byCaller.set(caller, this.of(caller) + amount)
  }

  release(caller: string, amount = 1): void {
    this.#all -= amount
    const left = this.of(caller) - amount
    if (left === 0) this.#byCaller.delete(caller)
    else this.#byCaller.set(caller, left)
  }
}
