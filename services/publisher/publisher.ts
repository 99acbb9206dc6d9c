/**
 * The publisher: writes the memory of the live generation to `memory-events`, as insertions and retractions. It leases
 * the partitions of `utterances`, so each partition of the feed has one writer. Outputs, state and position are one
 * commit, as in every processor.
 */
import type { Membership } from '@loomlog/log/port'
import { type FeedOptions, FeedWriter } from './feed-writer.ts'

export interface PublisherOptions extends FeedOptions {
  readonly sessionMs?: number
  /** Ends the publisher, also during the join. */
  readonly signal?: AbortSignal
  onError(error: unknown): void
}

export const publisherGroup = 'publisher'

export async function startPublisher(options: PublisherOptions): Promise<Membership> {
  const feed = await options.log.identity('memory-events')
  return options.log.join({
    group: publisherGroup,
    topic: 'utterances',
    ...(options.sessionMs === undefined ? {} : { sessionMs: options.sessionMs }),
    onLease: (lease) => new FeedWriter(lease, { ...options, feed }).run(),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onError: options.onError,
  })
}
