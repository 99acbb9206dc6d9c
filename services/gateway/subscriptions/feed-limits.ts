/** The limits of the HTTP feed, each with its default. */

export interface FeedLimits {
  /** Live readers (long-poll and SSE) at once; a further one is refused. */
  readonly liveReaders: number
  /** Bytes of messages in one chunk; a single message may be larger. */
  readonly chunkBytes: number
  /** Records that one chunk looks at, whether they match or not. */
  readonly chunkRecords: number
  /** Records of a partition that are held in memory for live readers, and their bytes. */
  readonly heldRecords: number
  readonly heldBytes: number
  readonly longPollMs: number
  /** An SSE connection is closed after this time; the reader resumes. */
  readonly sseMs: number
  readonly heartbeatMs: number
  /** An SSE reader that takes nothing for this long is disconnected. */
  readonly slowReaderMs: number
}

export const defaultFeedLimits: FeedLimits = {
  liveReaders: 2_000,
  chunkBytes: 262_144,
  chunkRecords: 2_000,
  heldRecords: 5_000,
  heldBytes: 8_000_000,
  longPollMs: 20_000,
  sseMs: 60_000,
  heartbeatMs: 15_000,
  slowReaderMs: 30_000,
}
