/** The limits of reading the feed, each with its default. */

export interface FeedReadLimits {
  /** Bytes of messages in one chunk; a single message may be larger. */
  readonly chunkBytes: number
  /** Records that one chunk reads, whether they match or not. */
  readonly chunkRecords: number
  /** Records of a partition that are held in memory for live readers, and their bytes. */
  readonly heldRecords: number
  readonly heldBytes: number
  /**
   * Entries of the index, some 8 bytes each: one per space or tenant, and block of 64 offsets that holds its records.
   */
  readonly indexEntries: number
}

export const defaultFeedReadLimits: FeedReadLimits = {
  chunkBytes: 262_144,
  chunkRecords: 2_000,
  heldRecords: 5_000,
  heldBytes: 8_000_000,
  indexEntries: 4_000_000,
}
