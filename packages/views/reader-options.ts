/** The options of a view reader: the store and the generation that it reads. */
import type { Log } from '@loomlog/log/port'
import type { VectorSpace, ViewStore } from './port.ts'
import type { SpaceCache } from './space-cache/space-cache.ts'
import type { Table } from './table.ts'

/** A space in the view of one topic. */
export interface ViewedSpace {
  /** `tenant/space` */
  readonly space: string
  /** The topic's name in the log. */
  readonly source: string
  /** The offset up to which the view has the topic. */
  watermark(): Promise<number>
}

export interface ViewReaderOptions {
  /** Default: loomlog's own. */
  readonly tables?: readonly Table[]
  readonly store: ViewStore
  readonly vectorSpace: VectorSpace
  readonly partitions: number
  /** The names in the log of the generation's topics. */
  readonly sources: ReadonlyMap<string, string>
  /** The log that the views should be made from. Default: shards are compared with no log, and `rebuilds` is empty. */
  readonly log?: Log
  /** Holds the spaces that are searched in memory. Default: the store runs every search. */
  readonly cache?: SpaceCache
  /** How long a look-up by id waits for the views. Default: that of `look-up.ts`. */
  readonly lookUpWaitMs?: number
  /**
   * Whether the rows that a view has of a space are void, since a forgetting is requested that the view has not passed:
   * the space reads as empty then. Default: never.
   */
  isVoid?(viewed: ViewedSpace): Promise<boolean>
  /** Reports a shard that was made from another log: it reads as empty until it is rebuilt. */
  onReplaced?(message: string): void
}
