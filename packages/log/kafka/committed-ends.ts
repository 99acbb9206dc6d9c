/**
 * The end of the committed records of each partition. Kafka's end offset lies after the marker that ends every
 * transaction, where no position ever is. So the last record is searched backwards from there. Ends are cached: a
 * partition that has not grown costs no search.
 */
import type { TopicReader } from './topic-reader.ts'

interface SearchedEnd {
  /** The last stable offset at the time of the search. */
  readonly lastStable: number
  readonly committed: number
}

/** One marker follows the records of a commit, so the first step nearly always finds a record. */
const firstStep = 2
const waitMs = 1_000

export class CommittedEnds {
  readonly #reader: TopicReader
  readonly #searched = new Map<number, SearchedEnd>()

  constructor(reader: TopicReader) {
    this.#reader = reader
  }

  async now(): Promise<readonly number[]> {
    const [starts, lastStable] = await Promise.all([this.#reader.startOffsets(), this.#reader.lastStableOffsets()])
    return await Promise.all(lastStable.map((end, partition) => this.#endOf(partition, starts[partition] ?? 0, end)))
  }

  async #endOf(partition: number, start: number, lastStable: number): Promise<number> {
    const known = this.#searched.get(partition)
    if (known?.lastStable === lastStable) return known.committed
    const committed = await search(this.#reader, partition, start, lastStable)
    this.#searched.set(partition, { lastStable, committed })
    return committed
  }
}

async function search(reader: TopicReader, partition: number, start: number, end: number): Promise<number> {
  for (let back = firstStep, from = end; from > start; back *= 8) {
    from = Math.max(start, end - back)
    const last = await lastIn(reader, partition, from, end)
    if (last !== null) return last + 1
  }
  return start
}

async function lastIn(reader: TopicReader, partition: number, from: number, end: number): Promise<number | null> {
  let last: number | null = null
  for (let position = from; position < end; ) {
    for (const { records, next } of await reader.fetch(new Map([[partition, position]]), waitMs)) {
      last = records.findLast(({ offset }) => offset < end)?.offset ?? last
      position = next
    }
  }
  return last
}
