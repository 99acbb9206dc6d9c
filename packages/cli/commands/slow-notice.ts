/** Progress on stderr: the first line at once, further ones every 5 s. */
import { printNotice } from '../print.ts'

const intervalMs = 5_000

export class SlowNotice {
  #lastAt = Number.NEGATIVE_INFINITY

  show(line: string): void {
    const now = performance.now()
    if (now - this.#lastAt < intervalMs) return
    this.#lastAt = now
    printNotice(line)
  }
}
