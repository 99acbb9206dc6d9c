/**
 * An index of the feed in memory: the blocks of offsets that hold records of a space or a tenant, by partition. A
 * reader that is behind reads only these blocks instead of its whole partition. The first such read of a partition
 * fills the index from the log, and each later one extends it.
 *
 * Its size is bounded: beyond the limit a partition is indexed no further, and readers scan from there on.
 */
import type { Log } from '@loomlog/log/port'

/** Offsets from `from` up to `to`, without `to`. */
export interface OffsetRange {
  readonly from: number
  readonly to: number
}

export interface IndexedRanges {
  /** In order; a bounded number. */
  readonly ranges: readonly OffsetRange[]
  /** Where the index ends and a scan begins. Null: further ranges follow first. */
  readonly rest: number | null
}

interface PartitionIndex {
  /** The next offset to index. */
  next: number
  /** Rising numbers of blocks, by `tenant/space` and by `tenant/`. */
  readonly blocks: Map<string, number[]>
  reading: Promise<void>
}

const blockRecords = 64
const maxRecords = 1_000
/** Blocks of one result: they hold more records than a chunk reads. */
const maxBlocks = 256

export class FeedIndex {
  readonly #topic: string
  readonly #log: Pick<Log, 'read'>
  readonly #maxEntries: number
  readonly #partitions = new Map<number, PartitionIndex>()
  #entries = 0

  constructor(topic: string, log: Pick<Log, 'read'>, { indexEntries }: { readonly indexEntries: number }) {
    this.#topic = topic
    this.#log = log
    this.#maxEntries = indexEntries
  }

  /** The ranges that may hold records of these keys: `tenant/space`, or `tenant/` for the whole tenant. */
  async rangesFrom(
    { partition, offset }: { readonly partition: number; readonly offset: number },
    keys: Iterable<string>,
    signal: AbortSignal,
  ): Promise<IndexedRanges> {
    const index = this.#partitions.get(partition) ?? { next: 0, blocks: new Map(), reading: Promise.resolve() }
    this.#partitions.set(partition, index)
    index.reading = index.reading.catch(() => {}).then(() => this.#readOn(partition, index, signal))
    await index.reading
    const first = Math.floor(offset / blockRecords)
    const found = new Set([...keys].flatMap((key) => blocksFrom(index.blocks.get(key) ?? [], first)))
    const ranges: { from: number; to: number }[] = []
    for (const block of [...found].sort((a, b) => a - b).slice(0, maxBlocks)) {
      const last = ranges.at(-1)
      const range = { from: Math.max(offset, block * blockRecords), to: (block + 1) * blockRecords }
      if (last?.to === range.from) last.to = range.to
      else ranges.push(range)
    }
    return { ranges, rest: found.size > maxBlocks ? null : index.next }
  }

  /** For when the feed was replaced. */
  clear(): void {
    this.#partitions.clear()
    this.#entries = 0
  }

  async #readOn(partition: number, index: PartitionIndex, signal: AbortSignal): Promise<void> {
    if (this.#entries >= this.#maxEntries) return
    const place = { topic: this.#topic, partitions: [partition], from: new Map([[partition, index.next]]) }
    for await (const records of this.#log.read({ ...place, until: 'end', maxRecords, signal })) {
      for (const { key, offset } of records) {
        if (key !== null) {
          this.#add(index, key, offset)
          this.#add(index, `${key.slice(0, key.indexOf('/'))}/`, offset)
        }
        index.next = offset + 1
      }
      if (this.#entries >= this.#maxEntries) return
    }
  }

  #add({ blocks }: PartitionIndex, key: string, offset: number): void {
    const block = Math.floor(offset / blockRecords)
    const known = blocks.get(key)
    if (known?.at(-1) === block) return
    this.#entries += 1
    if (known === undefined) blocks.set(key, [block])
    else known.push(block)
  }
}

/** The blocks at or after the first, at most one more than a result holds. */
function blocksFrom(blocks: readonly number[], first: number): readonly number[] {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle] ?? 0) < first) low = middle + 1
    else high = middle
  }
  return blocks.slice(low, low + maxBlocks + 1)
}
