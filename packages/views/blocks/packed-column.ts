/**
 * A column of a pack whose values differ: a JSON array with each value on a line of its own. A search reads some
 * columns whole; of the others it parses only the values of the few rows that it returns. Once all values are parsed,
 * the bytes are freed.
 */

const newline = 10
const noBytes = Buffer.alloc(0)
/** Once this share of the values is parsed one by one, all are parsed at once, in a fourth of the time per value. */
const maxParsedShare = 1 / 4

/** The bytes of a column; or its value, if all rows have the same one. */
export function packedColumn(values: readonly unknown[]): { readonly bytes: Uint8Array } | { readonly value: unknown } {
  const cells = values.map((value) => JSON.stringify(value) ?? 'null')
  const [first = null] = values
  if (cells.every((cell) => cell === cells[0])) return { value: first }
  return { bytes: Buffer.from(`[${cells.join(',\n')}]`) }
}

export class PackedColumn {
  #bytes: Buffer
  readonly #length: number
  #values: readonly unknown[] | null = null
  /** Where each value begins, and two bytes after the end of the last one. */
  #starts: Uint32Array | null = null
  /** Values parsed one by one. */
  #parsed = 0

  constructor(bytes: Buffer, length: number) {
    this.#bytes = bytes
    this.#length = length
  }

  values(): readonly unknown[] {
    if (this.#values === null) {
      this.#values = JSON.parse(this.#bytes.toString()) as readonly unknown[]
      this.#bytes = noBytes
      this.#starts = null
    }
    return this.#values
  }

  at(row: number): unknown {
    if (this.#values !== null || this.#parsed > this.#length * maxParsedShare) return this.values()[row]
    this.#parsed += 1
    this.#starts ??= startsOfValues(this.#bytes, this.#length)
    const [start, next] = [this.#starts[row], this.#starts[row + 1] ?? 0]
    return JSON.parse(this.#bytes.toString('utf8', start, next - 2))
  }
}

/** A comma and a newline are between two values, and a bracket is after the last one. */
function startsOfValues(bytes: Buffer, length: number): Uint32Array {
  const starts = new Uint32Array(length + 1)
  starts[0] = 1
  for (let at = 1; at < length; at += 1) starts[at] = bytes.indexOf(newline, starts[at - 1]) + 1
  starts[length] = bytes.length + 1
  return starts
}
