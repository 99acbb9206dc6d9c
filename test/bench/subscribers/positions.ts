/**
 * The positions that one reader receives: each event counts once, however often it comes. A gap is a jump forward, of
 * any size.
 */
export class Positions {
  received = 0
  gaps = 0
  repeated = 0
  #expected = 0

  take(position: number): void {
    if (position < this.#expected) {
      this.repeated += 1
      return
    }
    if (position > this.#expected) this.gaps += 1
    this.received += 1
    this.#expected = position + 1
  }
}
