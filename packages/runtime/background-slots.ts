/**
 * Slots of background work: a semaphore that limits only beside live work. First come, first served, because a piece
 * that frees a slot soon takes another. A freed slot and the end of live work start waiting pieces, and an abort
 * removes its own.
 */
export class BackgroundSlots {
  readonly #max: number
  /** Each starts a waiting piece. */
  readonly #waiting: (() => void)[] = []
  #taken = 0
  #isLimited = false

  constructor(max: number) {
    this.#max = max
  }

  /** True beside live work. */
  get isLimited(): boolean {
    return this.#isLimited
  }

  set isLimited(isLimited: boolean) {
    this.#isLimited = isLimited
    this.#fill()
  }

  /** @throws the signal's reason if it aborts first */
  take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(signal.reason)
      }
      const start = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(start)
      this.#fill()
    })
  }

  release(): void {
    this.#taken -= 1
    this.#fill()
  }

  /** Starts waiting pieces while there is room. */
  #fill(): void {
    while (this.#waiting.length > 0 && (this.#taken < this.#max || !this.#isLimited)) {
      this.#taken += 1
      this.#waiting.shift()?.()
    }
  }
}
