/** The limits of the HTTP feed, each with its default. */
import { defaultFeedReadLimits, type FeedReadLimits } from '@loomlog/feed/feed-limits'

export interface FeedLimits extends FeedReadLimits {
  /** Live readers (long-poll and SSE) at once; a further one is refused. */
  readonly liveReaders: number
  readonly longPollMs: number
  /** An SSE connection is closed after this time; the reader resumes. */
  readonly sseMs: number
  readonly heartbeatMs: number
  /** An SSE reader that takes nothing for this long is disconnected. */
  readonly slowReaderMs: number
}

export const defaultFeedLimits: FeedLimits = {
  ...defaultFeedReadLimits,
  liveReaders: 2_000,
  longPollMs: 20_000,
  sseMs: 60_000,
  heartbeatMs: 15_000,
  slowReaderMs: 30_000,
}
