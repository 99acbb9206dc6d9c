/** The feed of a tenant, or of one of its spaces, as a stream of the Durable Streams protocol. */
import { isLoomlogError } from '@loomlog/errors'
import { offsetOf, positionFrom } from '@loomlog/feed/feed-offset'
import { FeedReader, type FeedReaderOptions, type FeedScope } from '@loomlog/feed/feed-reader'
import { hash } from '@loomlog/schemas/ids'
import { RefusedRequest } from '../problem.ts'
import { jsonMessages, type StreamSource } from './stream-source.ts'

export function feedSource(scope: FeedScope, options: FeedReaderOptions): StreamSource {
  const { tenant, spaces, types } = scope
  const reader = new FeedReader(scope, options)
  const { partitions } = reader
  return {
    ...jsonMessages,
    name: hash([tenant, spaces, types === null ? null : [...types].sort()]),
    tail: async () => offsetOf(await reader.end()),
    async read(from, signal) {
      const position = from === null ? partitions.map(() => 0) : positionFrom(from, partitions.length)
      const { messages, next, isUpToDate } = await reader.read(position, signal).catch(refuseReplaced)
      return { messages: messages.map(({ json }) => json), next: offsetOf(next), isUpToDate }
    },
    changed: (from, maxWaitMs, signal) => reader.changed(positionFrom(from, partitions.length), maxWaitMs, signal),
  }
}

function refuseReplaced(error: unknown): never {
  if (!isLoomlogError(error, 'log-replaced')) throw error
  throw new RefusedRequest(410, 'the offset is beyond the end: the feed was replaced; begin again at offset -1')
}
