/**
 * The read side of the Durable Streams protocol, on any source: catch-up, long-poll, SSE, and metadata by HEAD. A
 * reader resumes exactly where it stopped: a reply names the offset after its last message, and a message is never
 * split.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuseEndedCredential } from './ended-credential.ts'
import type { FeedLimits } from './feed-limits.ts'
import { nextCursor } from './stream-cursor.ts'
import { serveEvents } from './stream-events.ts'
import type { StreamChunk, StreamSource } from './stream-source.ts'

interface StreamRequest {
  /** Null: from the beginning. */
  readonly from: string | null
  readonly live: 'no' | 'long-poll' | 'sse'
  readonly cursor: string | null
}

type Query = { readonly [name: string]: string | readonly string[] | undefined }

/** @throws LoomlogError `input-invalid`, with the parameter */
function streamRequestFrom(query: Query): StreamRequest {
  const { offset, live = 'no', cursor = null } = query
  if (live !== 'no' && live !== 'long-poll' && live !== 'sse') throw invalidInput('live', live, 'long-poll or sse')
  if (offset === undefined && live !== 'no') throw invalidInput('offset', offset, 'an offset, for a live read')
  if (offset !== undefined && (typeof offset !== 'string' || !/^[\w-]{1,255}$/.test(offset)))
    throw invalidInput('offset', offset, '-1, now, or a Stream-Next-Offset of this stream')
  return {
    from: offset === undefined || offset === '-1' ? null : offset,
    live,
    cursor: typeof cursor === 'string' ? cursor : null,
  }
}

export async function headOf(source: StreamSource, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .headers({ 'stream-next-offset': await source.tail(), 'cache-control': 'no-store' })
    .header('content-type', source.contentType)
    .send()
}

/**
 * @param signal aborts when the reader leaves, its key or token ends (with the refusal as its reason), or the server
 * closes
 */
export async function serveStream(
  source: StreamSource,
  request: FastifyRequest,
  reply: FastifyReply,
  { limits, signal }: { readonly limits: FeedLimits; readonly signal: AbortSignal },
): Promise<FastifyReply> {
  const { from, live, cursor } = streamRequestFrom(request.query as Query)
  const start = from === 'now' ? await source.tail() : from
  if (live === 'sse') return serveEvents(source, reply, { from: start, cursor, limits, signal })
  if (live === 'long-poll') {
    const chunk = await longPoll(source, start, limits.longPollMs, signal)
    refuseEndedCredential(signal)
    reply.headers({ 'stream-cursor': nextCursor(cursor), 'cache-control': 'no-store' })
    if (chunk.messages.length === 0) return withOffset(reply, chunk).code(204).send()
    return withBody(source, reply, chunk)
  }
  if (from === 'now') {
    reply.header('cache-control', 'no-store')
    return withBody(source, reply, { messages: [], next: start ?? '', isUpToDate: true })
  }
  const chunk = await source.read(start, signal)
  const tag = `"${source.name}:${start ?? '-1'}:${chunk.next}${chunk.isUpToDate ? '' : ':more'}"`
  reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  if (request.headers['if-none-match'] === tag) return withOffset(reply, chunk).code(304).send()
  return withBody(source, reply, chunk)
}

/** The first chunk with a message, or an empty one after the time. */
async function longPoll(
  source: StreamSource,
  from: string | null,
  maxWaitMs: number,
  signal: AbortSignal,
): Promise<StreamChunk> {
  const deadline = performance.now() + maxWaitMs
  let chunk = await source.read(from, signal)
  for (;;) {
    const leftMs = deadline - performance.now()
    if (chunk.messages.length > 0 || leftMs <= 0 || signal.aborted) return chunk
    if (chunk.isUpToDate) await source.changed(chunk.next, leftMs, signal)
    chunk = await source.read(chunk.next, signal)
  }
}

function withBody(source: StreamSource, reply: FastifyReply, chunk: StreamChunk): FastifyReply {
  return withOffset(reply, chunk).header('content-type', source.contentType).send(source.body(chunk.messages))
}

function withOffset(reply: FastifyReply, { next, isUpToDate }: StreamChunk): FastifyReply {
  reply.header('stream-next-offset', next)
  return isUpToDate ? reply.header('stream-up-to-date', 'true') : reply
}
