/**
 * For tests: a Durable Streams server whose read side is the gateway's. Streams are in memory, and their write side has
 * only what the read tests need: create, append, delete. A text stream stands for every type that is not JSON.
 */

import { offsetOf, positionFrom } from '@loomlog/feed/feed-offset'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { problemOf } from '../problem.ts'
import { defaultFeedLimits } from './feed-limits.ts'
import { headOf, serveStream } from './read-stream.ts'
import { jsonMessages, type StreamSource } from './stream-source.ts'

interface MemoryStream {
  readonly contentType: string
  readonly messages: string[]
  readonly waiting: Set<() => void>
}

const limits = { ...defaultFeedLimits, longPollMs: 2_000, sseMs: 10_000, heartbeatMs: 1_000 }

/** A refused body would close the connection while the suite still sends. */
const maxBodyBytes = 32_000_000

const isJson = (contentType: string) => contentType.split(';')[0]?.trim().toLowerCase() === 'application/json'

function sourceOf(name: string, stream: MemoryStream): StreamSource {
  const text = {
    body: (messages: readonly string[]) => Buffer.from(messages.join(''), 'latin1'),
    lines: (messages: readonly string[]) =>
      Buffer.from(messages.join(''), 'latin1')
        .toString('utf8')
        .split(/\r\n|\r|\n/),
  }
  return {
    ...(isJson(stream.contentType) ? jsonMessages : text),
    contentType: stream.contentType,
    name,
    tail: async () => offsetOf([stream.messages.length]),
    async read(from) {
      const [at = 0] = from === null ? [0] : positionFrom(from, 1)
      const messages = stream.messages.slice(at)
      return { messages, next: offsetOf([Math.max(at, stream.messages.length)]), isUpToDate: true }
    },
    async changed(from, maxWaitMs, signal) {
      const [at = 0] = positionFrom(from, 1)
      if (stream.messages.length > at || signal.aborted) return
      await new Promise<void>((resolve) => {
        stream.waiting.add(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
        setTimeout(resolve, maxWaitMs).unref()
      })
    },
  }
}

/** The messages of a body: one level of a JSON array is flattened. Other bytes are held as latin1. */
function messagesOf(contentType: string, body: Buffer): readonly string[] {
  if (body.length === 0) return []
  if (!isJson(contentType)) return [body.toString('latin1')]
  return [JSON.parse(body.toString('utf8'))].flat().map((message) => JSON.stringify(message))
}

export async function startConformanceServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const app = Fastify({ forceCloseConnections: true, bodyLimit: maxBodyBytes })
  const streams = new Map<string, MemoryStream>()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' })
  })
  app.setErrorHandler((error, _request, reply) => {
    const problem = problemOf(error)
    return reply.code(problem.status).type('application/problem+json').send(problem)
  })
  const nameOf = (request: FastifyRequest) => (request.params as { '*': string })['*']
  const append = (stream: MemoryStream, body: unknown) => {
    stream.messages.push(...messagesOf(stream.contentType, Buffer.isBuffer(body) ? body : Buffer.alloc(0)))
    for (const wake of stream.waiting) wake()
    stream.waiting.clear()
  }
  const ended = (reply: FastifyReply, code: number, { contentType, messages }: MemoryStream) =>
    reply
      .code(code)
      .headers({ 'stream-next-offset': offsetOf([messages.length]), 'content-type': contentType })
      .send()

  app.put('/v1/stream/*', (request, reply) => {
    const known = streams.get(nameOf(request))
    const contentType = request.headers['content-type'] ?? 'application/octet-stream'
    if (known) return ended(reply, known.contentType === contentType ? 200 : 409, known)
    const stream: MemoryStream = { contentType, messages: [], waiting: new Set() }
    append(stream, request.body)
    streams.set(nameOf(request), stream)
    return ended(reply.header('location', `http://${request.headers.host}${request.url}`), 201, stream)
  })
  app.post('/v1/stream/*', (request, reply) => {
    const stream = streams.get(nameOf(request))
    if (!stream) return reply.code(404).send()
    append(stream, request.body)
    return ended(reply, 204, stream)
  })
  app.delete('/v1/stream/*', (request, reply) => reply.code(streams.delete(nameOf(request)) ? 204 : 404).send())
  app.get('/v1/stream/*', async (request, reply) => {
    const stream = streams.get(nameOf(request))
    if (!stream) return reply.code(404).send()
    const source = sourceOf(nameOf(request), stream)
    if (request.method === 'HEAD') return headOf(source, reply)
    const departure = new AbortController()
    reply.raw.once('close', () => departure.abort())
    return serveStream(source, request, reply, { limits, signal: departure.signal })
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url, close: () => app.close() }
}
