/**
 * One space of one table in memory, brought up to date before every search.
 *
 * 1. A search sees every commit that was durable when it began: it asks the table's version first, and reads the changed rows where that is
 *    another than at the last read.
 * 2. The content is that of one snapshot: the packs of the store and the rows beside them. Every change of a row carries its offset, and the
 *    watermark commits with it: the rows from the last watermark on are all that changed.
 * 3. The content belongs to one writer of the table. Where another one has taken it, or the table was made again, it is read again.
 * 4. A tombstone leaves nothing behind: the content is read again, and the old one goes whole.
 * 5. At most half of the rows are dead, beside those that packs brought, or the content is read again.
 * 6. Content that is or grows larger than `maxBytes` is dropped. It is read again only if the measured size of its live rows is smaller.
 * 7. Several searches that wait for changes share one read, which began after each of them.
 */

import { rowBlock } from '../blocks/row-block.ts'
import type { ReadableShard, Watermark } from '../port.ts'
import type { Table } from '../table.ts'
import { keptBytes } from './find-rows.ts'
import { SpaceRows } from './space-rows.ts'

export interface SpaceTableOptions {
  readonly shard: ReadableShard
  readonly table: Table
  readonly space: string
  readonly dimensions: number
  /** A larger space is not read. */
  readonly maxBytes: number
}

/** Of a row beside its vector, before rows of the space were measured. */
const leastRowBytes = 1_000
/** So few dead rows are not worth reading the content again. */
const minRows = 1_000

interface Content {
  /** Null: the space is too large. */
  readonly rows: SpaceRows | null
  readonly watermark: Watermark | null
  /** Of the table, before the rows were read. */
  readonly version: number
  /** Dead rows that packs brought when the space was last read whole. */
  readonly deadInPacks: number
}

export class SpaceTable {
  readonly #options: SpaceTableOptions
  #content: Content | null = null
  #reading: Promise<Content> | null = null
  #next: Promise<Content> | null = null
  /** Of a row, as measured when it was last read. */
  #rowBytes: number

  constructor(options: SpaceTableOptions) {
    this.#options = options
    this.#rowBytes = leastRowBytes + options.dimensions
  }

  /** Estimated. */
  get bytes(): number {
    const rows = this.#content?.rows ?? null
    return rows === null ? 0 : rows.bytes + keptBytes(rows)
  }

  /** Null: the space is too large. */
  async current(): Promise<SpaceRows | null> {
    const { shard, table } = this.#options
    const version = await shard.version(table)
    if (this.#content?.version === version) return this.#content.rows
    return (await this.#read()).rows
  }

  /** A read that is under way may have begun before the caller's commit: the next one, for all callers meanwhile, has not. */
  #read(): Promise<Content> {
    if (this.#next !== null) return this.#next
    const under = this.#reading
    const next = (under?.catch(() => {}) ?? Promise.resolve()).then(() => {
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
    if (live.length > 0 && isComplete) content.add(rowBlock(live, dimensions))
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

/** Whether it is the same table, of the same writer. */
function continues(now: Watermark, before: Watermark | null): boolean {
  return before !== null && now.writer === before.writer && now.epoch === before.epoch && now.offset >= before.offset
}
