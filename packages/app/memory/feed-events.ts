/** The feed of a tenant, read from a log of this process. */
import type { FeedReading } from '@loomlog/client/memory'
import { defaultFeedReadLimits as limits } from '@loomlog/feed/feed-limits'
import { FeedReader } from '@loomlog/feed/feed-reader'
import { FeedTail } from '@loomlog/feed/feed-tail'
import type { Host } from '@loomlog/host/open'

/** Longest wait for news before the feed is read again. */
const waitMs = 20_000

export async function* feedEvents(
  { log, codec, partitions, notify }: Host,
  tenant: string,
  { until, signal }: FeedReading,
): AsyncGenerator<object> {
  const onRetryableError = (error: unknown) => notify(`the feed is read again: ${(error as Error).message}`)
  const tail = new FeedTail({ log, codec, limits, onRetryableError })
  const scope = { tenant, spaces: null, types: null }
  const admit = <T>(_signal: AbortSignal, work: () => Promise<T>) => work()
  const reader = new FeedReader(scope, { log, codec, partitions, limits, tail, admit })
  try {
    for (let position: readonly number[] = reader.partitions.map(() => 0); !signal.aborted; ) {
      const { messages, next, isUpToDate } = await reader.read(position, signal)
      for (const { json } of messages) yield JSON.parse(json)
      if (isUpToDate && until === 'end') return
      if (isUpToDate) await reader.changed(next, waitMs, signal)
      position = next
    }
  } finally {
    await tail.close()
  }
}
