/** The feed of a tenant or of one of its spaces, read from a log of this process. */
import type { EventOptions, MemoryEvent } from '@loomlog/client/memory'
import { optionFields } from '@loomlog/client/option-fields'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import { defaultFeedReadLimits as limits } from '@loomlog/feed/feed-limits'
import { memoryEvents } from '@loomlog/feed/feed-message'
import { offsetOf, positionFrom } from '@loomlog/feed/feed-offset'
import { FeedReader } from '@loomlog/feed/feed-reader'
import { FeedTail } from '@loomlog/feed/feed-tail'
import type { Host } from '@loomlog/host/open'
import { type CloudEventType, cloudEventTypes } from '@loomlog/schemas/cloud-events'

/** Longest wait for news before the feed is read again. */
const waitMs = 20_000

export interface FeedOf {
  readonly tenant: string
  /** Null: every space of the tenant. */
  readonly spaces: readonly string[] | null
}

export async function* feedEvents(
  { log, codec, partitions, pendingForgettings, notify }: Host,
  of: FeedOf,
  options: EventOptions = {},
): AsyncGenerator<MemoryEvent> {
  refuseUnknownFields(options, optionFields.events)
  const { after = '-1', types, follow = true, signal = new AbortController().signal } = options
  if (typeof after !== 'string') throw invalidInput('after', after, 'a string: "-1", "now", or the offset of an event')
  if (types?.length === 0) throw invalidInput('types', types, 'one type at least, or undefined for all')
  const scope = { ...of, types: types === undefined ? null : new Set(types.map(typeFrom)) }
  const onRetryableError = (error: unknown) => notify(`the feed is read again: ${(error as Error).message}`)
  const beginningOf = pendingForgettings.beginningOf.bind(pendingForgettings)
  const tail = new FeedTail({ topic: memoryEvents, log, codec, limits, beginningOf, onRetryableError })
  const admit = <T>(_signal: AbortSignal, work: () => Promise<T>) => work()
  // The consumer may never ask for a further event, and the log may be closed then.
  signal.addEventListener('abort', () => void tail.close(), { once: true })
  const reader = new FeedReader(scope, { log, codec, partitions, limits, tail, admit })
  try {
    for (let position = await positionOf(after, reader); !signal.aborted; ) {
      const { messages, next, isUpToDate } = await reader.read(position, signal)
      for (const [at, { json }] of messages.entries()) {
        if (signal.aborted) return
        yield { ...JSON.parse(json), offset: offsetOf(at === messages.length - 1 ? next : position) }
      }
      if (isUpToDate && !follow) return
      if (isUpToDate) await reader.changed(next, waitMs, signal)
      position = next
    }
  } finally {
    await tail.close()
  }
}

/** @throws LoomlogError `input-invalid` */
async function positionOf(after: string, reader: FeedReader): Promise<readonly number[]> {
  if (after === 'now') return reader.end()
  const { partitions } = reader
  return after === '-1' ? partitions.map(() => 0) : positionFrom(after, partitions.length)
}

/** @throws LoomlogError `input-invalid` */
function typeFrom(given: string): CloudEventType {
  const found = cloudEventTypes.find((type) => type === given)
  if (found === undefined) throw invalidInput('type', given, `one of ${cloudEventTypes.join(', ')}`)
  return found
}
