/**
 * A stream as Server-Sent Events. A reader holds one chunk at a time: the next one is read when the connection has
 * taken the last. A reader that takes nothing for too long is disconnected, and resumes at its last control event. A
 * comment keeps a quiet connection open, and a last one names the reason if the reader's key or token has ended.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { credentialEnd, refuseEndedCredential } from './ended-credential.ts'
import type { FeedLimits } from './feed-limits.ts'
import { nextCursor } from './stream-cursor.ts'
import type { StreamChunk, StreamSource } from './stream-source.ts'

interface EventsRequest {
  readonly from: string | null
  readonly cursor: string | null
  readonly limits: FeedLimits
  readonly signal: AbortSignal
}

export async function serveEvents(
  source: StreamSource,
  reply: FastifyReply,
  { from, cursor, limits, signal }: EventsRequest,
): Promise<FastifyReply> {
  // Refused offsets are answered before the stream begins.
  let chunk = await source.read(from, signal)
  refuseEndedCredential(signal)
  const { raw } = reply.hijack()
  const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-store' }
  raw.writeHead(200, headers as { [name: string]: string })
  const closesAt = performance.now() + limits.sseMs
  let lastCursor = cursor
  try {
    await writeText(
      raw,
      eventText(source, chunk, () => (lastCursor = nextCursor(lastCursor))),
      limits,
      signal,
    )
    while (!signal.aborted && performance.now() < closesAt) {
      const waitMs = Math.min(limits.heartbeatMs, closesAt - performance.now())
      if (chunk.isUpToDate) await source.changed(chunk.next, waitMs, signal)
      if (signal.aborted) break
      const before = chunk
      chunk = await source.read(chunk.next, signal)
      const isSame = chunk.messages.length === 0 && chunk.isUpToDate && before.isUpToDate
      const text = isSame ? ': heartbeat\n\n' : eventText(source, chunk, () => (lastCursor = nextCursor(lastCursor)))
      await writeText(raw, text, limits, signal)
    }
  } catch (error) {
    if (!signal.aborted) reply.log.warn(error)
  } finally {
    const refusal = credentialEnd(signal)
    raw.end(refusal === null ? undefined : `: ${refusal.message}\n\n`)
  }
  return reply
}

/** The data event, if there is any data, and its control event. */
function eventText(source: StreamSource, { messages, next, isUpToDate }: StreamChunk, cursor: () => string): string {
  const lines = messages.length === 0 ? [] : source.lines(messages)
  const data = lines.length === 0 ? '' : `event: data\n${lines.map((line) => `data:${line}\n`).join('')}\n`
  const control = { streamNextOffset: next, streamCursor: cursor(), ...(isUpToDate ? { upToDate: true } : {}) }
  return `${data}event: control\ndata:${JSON.stringify(control)}\n\n`
}

async function writeText(raw: ServerResponse, text: string, { slowReaderMs }: FeedLimits, signal: AbortSignal) {
  if (raw.write(text)) return
  const late = AbortSignal.any([signal, AbortSignal.timeout(slowReaderMs)])
  try {
    await once(raw, 'drain', { signal: late })
  } catch (error) {
    raw.destroy()
    throw error
  }
}
