/**
 * Rows that arrive in any order and leave sorted by id: a merge sort whose runs are sorted as they fill and merged as
 * they are taken. One sort of 10,000 rows would block the event loop for 20 ms.
 */
import type { ContentRow } from './content-file.ts'

/** Sorted in some 0.3 ms. */
const rowsOfARun = 500

interface Run {
  readonly rows: readonly ContentRow[]
  taken: number
}

export class SortedRuns {
  #unsorted: ContentRow[] = []
  readonly #runs: Run[] = []

  get isEmpty(): boolean {
    return this.#unsorted.length === 0 && this.#runs.every(({ rows, taken }) => taken === rows.length)
  }

  add(row: ContentRow): void {
    this.#unsorted.push(row)
    if (this.#unsorted.length === rowsOfARun) this.#endRun()
  }

  /**
   * Removes and returns the first rows of all, at most `count`. Rows that are added between two calls may be out of
   * order.
   */
  take(count: number): readonly ContentRow[] {
    this.#endRun()
    const rows: ContentRow[] = []
    while (rows.length < count) {
      const run = this.#firstRun()
      if (run === null) break
      rows.push(run.rows[run.taken] as ContentRow)
      run.taken += 1
    }
    return rows
  }

  #endRun(): void {
    if (this.#unsorted.length === 0) return
    this.#runs.push({ rows: this.#unsorted.sort((a, b) => (a.id < b.id ? -1 : 1)), taken: 0 })
    this.#unsorted = []
  }

  /** The run with the smallest next id. */
  #firstRun(): Run | null {
    let first: Run | null = null
    let smallest = ''
    for (const run of this.#runs) {
      const id = run.rows[run.taken]?.id
      if (id === undefined || (first !== null && id >= smallest)) continue
      first = run
      smallest = id
    }
    return first
  }
}
