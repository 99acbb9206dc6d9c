/**
 * One space of one table in memory, brought up to date before every search.
 *
 * 1. A search sees every commit that was durable when it began: it reads the table's version first, and then the
 *    changed rows, if the version differs from that of the last read.
 * 2. The content is that of one snapshot: the packs of the store and the rows beside them. Every change of a row
 *    carries its offset, and the watermark commits with it: the rows from the last watermark on are all that changed.
 * 3. The content belongs to one writer of the table. If another one has taken the table over, or it was rebuilt, the
 *    content is read again.
 * 4. A removed row leaves the memory: at a tombstone the content is read again, and all of the old one is freed.
 * 5. The content is read again once more than half of its rows are dead, apart from those that packs brought.
 * 6. Content that is or grows larger than `maxBytes` is dropped. It is read again only if the measured size of its live
 *    rows is smaller.
 * 7. Several searches that wait for changes share one read, which began after each of them.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RowBlock, rowBlock } from '../blocks/row-block.ts'
import type { ReadableShard, Watermark } from '../port.ts'
import type { StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { conditionCacheBytes } from './find-rows.ts'
import { SpaceRows } from './space-rows.ts'

/** The part of a shard that a space is read from. */
export type SpaceSource = Pick<ReadableShard, 'version' | 'changes' | 'count'>

export interface SpaceTableOptions {
  readonly shard: SpaceSource
  readonly table: Table
  readonly space: string
  readonly dimensions: number
  /** A larger space is not read. */
  readonly maxBytes: number
}

/** Estimated size of a row without its vector, until rows of the space are measured. */
const leastRowBytes = 1_000
/** Fewer dead rows are not worth reading the content again. */
const minRows = 1_000

interface Content {
  /** Null: the space is too large. */
  readonly rows: SpaceRows | null
  readonly watermark: Watermark | null
  /** The table's version before the rows were read. */
  readonly version: number
  /** Dead rows that packs brought when the space was last read whole. */
  readonly deadInPacks: number
}

export class SpaceTable {
  readonly #options: SpaceTableOptions
  #content: Content | null = null
  #reading: Promise<Content> | null = null
  #next: Promise<Content> | null = null
  /** Size of a row, as measured at the last read. */
  #rowBytes: number

  constructor(options: SpaceTableOptions) {
    this.#options = options
    this.#rowBytes = leastRowBytes + options.dimensions
  }

  /** Estimated size in memory. */
  get bytes(): number {
    const rows = this.#content?.rows ?? null
    return rows === null ? 0 : rows.bytes + rows.resultBytes + conditionCacheBytes(rows)
  }

  /** Null: the space is too large. */
  async current(): Promise<SpaceRows | null> {
    const { shard, table } = this.#options
    const version = await shard.version(table)
    if (this.#content?.version === version) return this.#content.rows
    return (await this.#read()).rows
  }

  /** A read under way may have begun before the commit that the caller must see. So callers share the next read. */
  #read(): Promise<Content> {
    if (this.#next !== null) return this.#next
    const running = this.#reading
    const next = (running?.catch(() => {}) ?? Promise.resolve()).then(() => {
      this.#reading = next
      this.#next = null
      return this.#readChanges()
    })
    this.#next = next
    return next
  }

  async #readChanges(): Promise<Content> {
    const { shard, table, space, dimensions, maxBytes } = this.#options
    const version = await shard.version(table)
    if (this.#content?.version === version) return this.#content
    const before = this.#content?.rows ? this.#content : null
    if (before === null && (await shard.count(table, { space })) * this.#rowBytes > maxBytes) {
      this.#content = { rows: null, watermark: null, version, deadInPacks: 0 }
      return this.#content
    }
    const { watermark, packs, rows } = await shard.changes(table, space, before?.watermark?.offset ?? 0)
    const live = rows.filter(({ deleted }) => !deleted)
    const isComplete = before === null || (live.length === rows.length && continues(watermark, before.watermark))
    const content = before?.rows ?? new SpaceRows()
    for (const pack of packs) content.add(pack)
    const blocks = isComplete ? await blocksOf(live, dimensions) : []
    for (const block of blocks) content.add(block)
    if (content.length > 0) this.#rowBytes = content.bytes / Math.max(1, before ? content.length : content.size)
    const isLarge = content.bytes > maxBytes
    const deadInPacks = before?.deadInPacks ?? content.length - content.size
    this.#content =
      isLarge && before === null
        ? { rows: null, watermark: null, version, deadInPacks: 0 }
        : { rows: content, watermark, version, deadInPacks }
    if (before === null) return this.#content
    if (isComplete && !isLarge && content.length - deadInPacks <= 2 * content.size + minRows) return this.#content
    this.#content = null
    return this.#readChanges()
  }
}

/** Characters of the texts in a block: their words take some 100 ms, and then other requests have their turn. */
const maxBlockChars = 1_000_000

async function blocksOf(rows: readonly StoredRow[], dimensions: number): Promise<readonly RowBlock[]> {
  const blocks: RowBlock[] = []
  let next: StoredRow[] = []
  let chars = 0
  for (const row of rows) {
    if (next.length > 0 && chars + row.text.length > maxBlockChars) {
      blocks.push(rowBlock(next, dimensions))
      await nextTurn()
      next = []
      chars = 0
    }
    next.push(row)
    chars += row.text.length
  }
  if (next.length > 0) blocks.push(rowBlock(next, dimensions))
  return blocks
}

/** Whether it is the same table, of the same writer. */
function continues(now: Watermark, before: Watermark | null): boolean {
  return before !== null && now.writer === before.writer && now.epoch === before.epoch && now.offset >= before.offset
}
