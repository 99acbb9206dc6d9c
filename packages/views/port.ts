/**
 * The port of the view store: shards of tables that one process writes and any number read. Two adapters implement it:
 * `lancedb/`, in a folder or an object store, and `in-memory/`, for tests. `contract/` holds the suite that both pass.
 *
 * A shard holds the tables of one view for one partition of its source topic. Every adapter promises:
 * - A batch is atomic and durable on return: rows and watermark are committed together, or not at all.
 * - One writer per shard. Opening a shard for writing fences the previous writer: its batches throw `fenced` and change
 *   nothing.
 * - A search is within one space, never finds a tombstone, and finds every commit at once, also across processes.
 * - A query is text to look for and never syntax.
 */
import type { Checkpoint } from '@loomlog/log/checkpoint'
import type { RowBlock } from './blocks/row-block.ts'
import type { TableChange } from './change.ts'
import type { Condition } from './condition.ts'
import type { Row, StoredRow } from './row.ts'
import type { RowOf, Table } from './table.ts'

export interface VectorSpace {
  readonly name: string
  readonly dimensions: number
}

export interface ShardOptions {
  /** By `viewId`. */
  readonly view: string
  readonly partition: number
  readonly tables: readonly Table[]
  readonly vectorSpace: VectorSpace
}

export interface ViewStore {
  /**
   * @param reads `latest` sees every commit at once; `as opened`, only the commits before it was opened
   * @throws LoomlogError `not-found` where nothing was written yet; `embedder-mismatch` where the shard was made for
   * another vector space; `view-corrupt`
   */
  read(shard: ShardOptions, reads: 'latest' | 'as opened'): Promise<ReadableShard>
  /**
   * Creates missing tables, and fences the previous writer.
   * @throws LoomlogError `embedder-mismatch`, `view-corrupt`
   */
  write(shard: ShardOptions): Promise<WritableShard>
  /**
   * Removes one shard that can't be read, or was made from another log: the next writer rebuilds it. A writer that
   * still has it open fails with its next batch.
   */
  discard(view: string, partition: number): Promise<void>
  /** Removes all shards of a view. It must have no writer. Idempotent. */
  remove(view: string, partitions: number): Promise<void>
  /** False: there is nothing to remove. True if there may be: an object store is not asked. */
  mayHold(view: string): boolean
}

export interface SpaceFilter<T extends Table> {
  /** `tenant/space` */
  readonly space: string
  readonly where?: Condition<RowOf<T>>
}

export interface FullTextSearch<T extends Table> extends SpaceFilter<T> {
  readonly query: string
  readonly limit: number
}

export interface VectorSearch<T extends Table> extends SpaceFilter<T> {
  readonly vector: Float32Array
  readonly limit: number
}

export interface Scan<T extends Table> extends SpaceFilter<T> {
  readonly limit: number
  /** Rows to skip. Default: none. */
  readonly skip?: number
  /** Default: by seq, ordinal and id. Rows without a value come last. */
  readonly orderBy?: readonly OrderBy[]
}

export interface OrderBy {
  readonly by: 'seq' | 'ordinal' | 'at' | 'validFrom' | 'validTo' | 'knownFrom' | 'knownTo' | 'offset' | 'id'
  readonly direction: 'ascending' | 'descending'
}

export const defaultOrder: readonly OrderBy[] = [
  { by: 'seq', direction: 'ascending' },
  { by: 'ordinal', direction: 'ascending' },
  { by: 'id', direction: 'ascending' },
]

export interface Hit<R extends Row = Row> {
  readonly row: R
  /** Higher is better: BM25 for full text, cosine similarity for vectors. Not comparable between the two. */
  readonly score: number
}

/**
 * Full-text queries are cut to this many characters: more words find nothing better, and 100 KB of them take a third of
 * a second.
 */
export const maxQueryChars = 4_000

export interface Search {
  /**
   * Rows with any of the query's words, best first; equal scores by id. Words are found in any script, English ones by
   * their stem.
   */
  fullText<T extends Table>(table: T, search: FullTextSearch<T>): Promise<readonly Hit<RowOf<T>>[]>
  /**
   * Rows with the most similar vectors, nearest first; every row is compared. An adapter may keep vectors as 8-bit
   * integers: cosines are exact to .01. A row without a vector, or with a zero one, is never near.
   */
  nearest<T extends Table>(table: T, search: VectorSearch<T>): Promise<readonly Hit<RowOf<T>>[]>
  /** In the order of `ids`; missing ones are left out. */
  byIds<T extends Table>(table: T, space: string, ids: readonly string[]): Promise<readonly RowOf<T>[]>
  scan<T extends Table>(table: T, search: Scan<T>): Promise<readonly RowOf<T>[]>
  count<T extends Table>(table: T, search: SpaceFilter<T>): Promise<number>
}

export interface Watermark {
  /** The next offset of the source partition that is not in the table. */
  readonly offset: number
  /** Rises with every writer that opens the table, and with every batch that clears a space. */
  readonly epoch: number
  /** A random name that the writer gave itself when it opened the table. */
  readonly writer: string
  /** Identifies the log that the table was made from, up to the offset; null: the last batch named none. */
  readonly checkpoint: Checkpoint | null
}

/**
 * The rows and tombstones of a space that were written at an offset or later, and the watermark up to which they are
 * complete.
 */
export interface SpaceChanges {
  readonly watermark: Watermark
  /** Rows in bulk, the oldest first, if the store keeps packs; only when the space is read from offset 0. */
  readonly packs: readonly RowBlock[]
  /** Rows and tombstones that no pack holds, and newer versions of rows in packs. */
  readonly rows: readonly StoredRow[]
}

export interface ReadableShard extends Search {
  /** Another number after every commit. Cheap: a reader asks it before every search. */
  version(table: Table): Promise<number>
  /** The space's rows and tombstones from this offset on, from one snapshot. */
  changes(table: Table, space: string, from: number): Promise<SpaceChanges>
  /** The committed watermark of a table. */
  watermark(table: Table): Promise<Watermark>
  /** The number of rows of all spaces that meet the condition, without tombstones. */
  total<T extends Table>(table: T, where: Condition<RowOf<T>>): Promise<number>
  /**
   * Every row and tombstone, by the bytes of space and id.
   * @throws LoomlogError `view-corrupt`, also where a vector is damaged
   */
  rows(table: Table): AsyncGenerator<StoredRow>
  close(): Promise<void>
}

export interface Batch {
  readonly table: Table
  /** In log order; each from a record before `watermark`. */
  readonly changes: readonly TableChange[]
  /** The next offset of the source partition: everything before it is in the table after this batch. */
  readonly watermark: number
  /** The checkpoint at `watermark`. */
  readonly checkpoint?: Checkpoint
}

export interface BatchResult {
  /** The table's watermark now. */
  readonly watermark: number
  /** Rows written; 0 for a batch that the table already held. */
  readonly rows: number
}

export interface WritableShard extends ReadableShard {
  /**
   * Applies a batch, and erases every stored byte of the spaces that it clears. Changes below the table's watermark are
   * replays and are left out, and so is a batch that ends at or below it.
   * @throws LoomlogError `fenced`; `view-unavailable`, after which the batch may be tried again
   */
  apply(batch: Batch): Promise<BatchResult>
  /** Compacts and indexes now, without waiting for the thresholds. */
  optimize(): Promise<void>
  /** Erases every stored byte of removed rows. */
  erase(): Promise<void>
  /** By the name of the table. */
  health(): Promise<ReadonlyMap<string, TableHealth & Watermark>>
}

export interface TableHealth {
  readonly rows: number
  readonly fragments: number
  readonly unindexedRows: number
  readonly versions: number
  /** The time of this process's last optimize; null: none yet. */
  readonly lastOptimizedAt: number | null
  /** Failed optimizes since the last success. */
  readonly failures: number
  readonly lastError: string | null
}
