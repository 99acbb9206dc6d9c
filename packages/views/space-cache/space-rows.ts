/**
 * The rows of one space in one table, in memory. Rows are numbered in the order of their addition and never change: a
 * newer version of a row gets a number of its own, and the older one is dead. Numbers are dense, so a column is a plain
 * array by number; it is filled at the first condition that reads it.
 */

import { mergedBlock, type RowBlock } from '../blocks/row-block.ts'
import type { ReadColumn } from '../condition.ts'
import type { Row } from '../row.ts'

interface NumberedBlock {
  readonly block: RowBlock
  /** The number of its first row. */
  readonly from: number
}

/** The limit of a merge, and so of the rows that an update copies. */
const maxMergedRows = 2_048

/**
 * Measured bytes for each character of an utterance in a result: recall keeps its words and statements as long as the
 * row.
 */
const resultBytes = 40

export class SpaceRows {
  readonly #blocks: NumberedBlock[] = []
  readonly #byId = new Map<string, number>()
  readonly #columns = new Map<string, unknown[]>()
  readonly #lookups = new Map<string, Lookup>()
  #isLive = new Uint8Array(0)
  /** By number: 1 once a search returned the row. */
  #isResult = new Uint8Array(0)
  #length = 0
  #bytes = 0
  #resultBytes = 0
  #words = 0

  get blocks(): readonly NumberedBlock[] {
    return this.#blocks
  }

  /** Number of rows, live and dead. */
  get length(): number {
    return this.#length
  }

  /** Number of live rows. */
  get size(): number {
    return this.#byId.size
  }

  /** Words of a live row, on average. */
  get meanWords(): number {
    return this.#words / Math.max(1, this.size)
  }

  /** Estimated size in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** Estimated size of what recall keeps with the rows that searches returned. */
  get resultBytes(): number {
    return this.#resultBytes
  }

  isLive(number: number): boolean {
    return this.#isLive[number] === 1
  }

  numberOf(id: string): number | undefined {
    return this.#byId.get(id)
  }

  /** Adds rows. Each replaces the row with its id. */
  add(block: RowBlock): void {
    const from = this.#length
    this.#blocks.push({ block, from })
    this.#length += block.length
    this.#bytes += block.bytes
    if (this.#isLive.length < this.#length) {
      const length = Math.max(this.#length, 2 * this.#isLive.length)
      this.#isLive = grown(this.#isLive, length)
      this.#isResult = grown(this.#isResult, length)
    }
    for (const [at, id] of (block.column('id') as readonly string[]).entries()) {
      const before = this.#byId.get(id)
      if (before !== undefined) this.#kill(before)
      this.#byId.set(id, from + at)
      this.#isLive[from + at] = 1
      this.#words += block.wordCounts[at] ?? 0
    }
    this.#mergeSmall()
  }

  row(number: number): Row {
    const { block, from } = this.#blockOf(number)
    return block.row(number - from)
  }

  /** A row for the result of a search by words or meaning; it counts as more memory from then on. */
  result(number: number): Row {
    const row = this.row(number)
    if (this.#isResult[number] === 0) {
      this.#isResult[number] = 1
      this.#resultBytes += resultBytes * row.text.length
    }
    return row
  }

  /** A column by number. Dead rows have values too. */
  column(field: string): readonly unknown[] {
    const values = this.#columns.get(field) ?? []
    this.#columns.set(field, values)
    for (let number = values.length; number < this.#length; ) {
      const { block, from } = this.#blockOf(number)
      for (const value of block.column(field).slice(number - from)) values.push(value)
      number = from + block.length
    }
    return values
  }

  /** The numbers of the rows whose value is this one, or whose list holds it; ascending, with dead rows. */
  numbersWith(field: string, value: string): readonly number[] {
    const lookup = this.#lookups.get(field) ?? { numbers: new Map(), until: 0 }
    this.#lookups.set(field, lookup)
    const column = this.column(field)
    for (; lookup.until < column.length; lookup.until += 1) {
      const values = column[lookup.until] as string | null | readonly string[]
      for (const each of Array.isArray(values) ? new Set(values) : [values]) {
        if (each === null) continue
        const numbers = lookup.numbers.get(each)
        if (numbers) numbers.push(lookup.until)
        else lookup.numbers.set(each, [lookup.until])
      }
    }
    return lookup.numbers.get(value) ?? []
  }

  /** Reads columns of the row whose number is `cursor.number`. */
  reader(cursor: { readonly number: number }): ReadColumn {
    const columns = new Map<string, readonly unknown[]>()
    return (field) => {
      let column = columns.get(field)
      if (column === undefined) {
        column = this.column(field)
        columns.set(field, column)
      }
      return column[cursor.number]
    }
  }

  /**
   * Every search visits every block, and every update adds one. Merging the last two while the earlier is less than
   * twice as long keeps few small blocks, and copies each row a few times.
   */
  #mergeSmall(): void {
    for (;;) {
      const [first, next] = this.#blocks.slice(-2)
      if (first === undefined || next === undefined || first.block.length >= 2 * next.block.length) return
      if (first.block.length + next.block.length > maxMergedRows) return
      this.#blocks.splice(-2, 2, { block: mergedBlock([first, next]), from: first.from })
    }
  }

  #kill(number: number): void {
    const { block, from } = this.#blockOf(number)
    this.#isLive[number] = 0
    this.#words -= block.wordCounts[number - from] ?? 0
  }

  #blockOf(number: number): NumberedBlock {
    let [low, high] = [0, this.#blocks.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#blocks[middle]?.from ?? 0) <= number) low = middle
      else high = middle - 1
    }
    return this.#blocks[low] as NumberedBlock
  }
}

function grown(flags: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length)
  longer.set(flags)
  return longer
}

interface Lookup {
  readonly numbers: Map<string, number[]>
  /** Rows below this number are in the lookup. */
  until: number
}
