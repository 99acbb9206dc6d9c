/**
 * The output of a decompressor whose format is literals and repeats of earlier output, as snappy's and LZ4's are. It
 * grows as needed up to a limit, so that a small batch that unpacks to gigabytes is refused and doesn't take the
 * process down.
 */

export class DamagedBytes extends Error {}

export class LzOutput {
  readonly #maxBytes: number
  #bytes: Buffer
  #length = 0

  constructor(expectedBytes: number, maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#bytes = Buffer.allocUnsafe(Math.min(expectedBytes, maxBytes))
  }

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Appends `packed[from..to)`. */
  literal(packed: Buffer, from: number, to: number): void {
    if (to > packed.length) throw new DamagedBytes(`a literal ends at byte ${to} of ${packed.length}`)
    this.#reserve(to - from)
    packed.copy(this.#bytes, this.#length, from, to)
    this.#length += to - from
  }

  /** Appends `length` bytes from `distance` bytes back; the two may overlap, and the bytes then repeat. */
  repeat(distance: number, length: number): void {
    if (distance < 1 || distance > this.#length) {
      throw new DamagedBytes(`a repeat reaches ${distance} bytes back, and ${this.#length} are there`)
    }
    this.#reserve(length)
    const from = this.#length - distance
    if (distance >= length) this.#bytes.copyWithin(this.#length, from, from + length)
    else for (let at = 0; at < length; at++) this.#bytes[this.#length + at] = this.#bytes[from + at] as number
    this.#length += length
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed > this.#maxBytes) throw new DamagedBytes(`it unpacks to more than ${this.#maxBytes} bytes`)
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(needed, 2 * this.#bytes.length)))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
