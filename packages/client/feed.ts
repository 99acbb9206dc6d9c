/**
 * The feed over HTTP: the read side of Durable Streams. Reads chunk by chunk to the end, and then waits for further
 * events by long-polling. While it follows, a broken connection or a server that restarts or is busy only delays it.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import type { FeedChunk, LoomlogClient, Query } from './loomlog-client.ts'
import type { EventOptions, MemoryEvent } from './memory.ts'
import { optionFields } from './option-fields.ts'

/** @throws LoomlogError `log-replaced` where the feed was replaced: begin again with `-1` */
export async function* feedEvents(
  client: LoomlogClient,
  path: string,
  options: EventOptions = {},
): AsyncGenerator<MemoryEvent> {
  refuseUnknownFields(options, optionFields.events)
  const { after = '-1', types, follow = true, signal } = options
  if (typeof after !== 'string') throw invalidInput('after', after, 'a string: "-1", "now", or the offset of an event')
  if (types?.length === 0) throw invalidInput('types', types, 'one type at least, or undefined for all')
  let offset = after
  let live: Query = {}
  let hasAnswered = false
  while (!signal?.aborted) {
    const chunk = await chunkAt({ offset, type: types, ...live })
    if (chunk === null) return
    hasAnswered = true
    for (const [at, event] of chunk.events.entries()) {
      if (signal?.aborted) return
      yield { ...event, offset: at === chunk.events.length - 1 ? chunk.next : offset }
    }
    if (chunk.isUpToDate && !follow) return
    offset = chunk.next
    live = chunk.isUpToDate ? { live: 'long-poll', cursor: chunk.cursor } : {}
  }

  /** Null: the signal has ended the wait. */
  async function chunkAt(query: Query): Promise<FeedChunk | null> {
    try {
      return await client.feed(path, query, { signal, retries: follow && hasAnswered ? 'endless' : 'few' })
    } catch (error) {
      if (signal?.aborted) return null
      throw error
    }
  }
}
