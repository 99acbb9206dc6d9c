/**
 * The Model Context Protocol over HTTP: a space as an MCP server, without sessions. Its tools are requests to this API
 * with the caller's headers, so each has the checks, the limits and the audit of its own route.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { connect } from '@loomlog/client'
import { version } from '@loomlog/host/version'
import { checkedName } from '@loomlog/intake/utterance'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { onClose } from '../reply-close.ts'
import { addressOf } from '../request-address.ts'
import type { SpaceParams } from './route-parts.ts'
import { apiRoute, pathParameters, text } from './route-schema.ts'

const route = apiRoute({
  scope: 'recall',
  slot: 'live-reader',
  parsed: ['body'],
  id: 'mcp',
  tag: 'mcp',
  summary: 'The space as an MCP server',
  about:
    'Streamable HTTP of the [Model Context Protocol](https://modelcontextprotocol.io), without sessions. Refusals of the protocol are JSON-RPC errors. Tools that write need the scopes `append` and `correct`. An MCP client takes the address of this route as its server, with the key as a bearer token.',
  params: pathParameters('space'),
  query: {
    author: text('The person for whom the agent works: the default speaker, and the author of corrections.'),
  },
  body: { type: 'object', description: 'A JSON-RPC request or notification.' },
  replies: {
    200: {
      type: 'object',
      description: 'The JSON-RPC response; for clients of revisions before 2026 as a stream of one event.',
    },
    202: { description: 'A notification is taken.' },
  },
})

type Mcp = SpaceParams & { Querystring: { author?: string } }

/** Of a tool, with the retries of a busy server. */
const timeoutMs = 60_000
/** Headers of the caller that the requests of its tools have, too. */
const passedOn = ['authorization', 'x-loomlog-tenant', 'host', 'traceparent'] as const

export function serveMcp(app: FastifyInstance): void {
  app.post<Mcp>('/v1/spaces/:space/mcp', route, async (request, reply) => {
    const [{ createMcpHandler }, { memoryServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@loomlog/mcp/memory-server'),
    ])
    const { space } = addressOf(request)
    const author = request.query.author === undefined ? undefined : checkedName(request.query.author, 'author')
    const memory = connect({ url: 'http://127.0.0.1', timeoutMs, fetch: fetchWithin(app, request) })
    // No notification is ever sent, so there is nothing to listen to.
    const handler = createMcpHandler(() => memoryServer({ memory, space, author, version }), { maxSubscriptions: 0 })
    onClose(reply, () => void handler.close())
    const response = await handler.fetch(requestOf(request), { parsedBody: request.body })
    reply.code(response.status).headers(Object.fromEntries(response.headers))
    return reply.send(response.body === null ? null : Readable.fromWeb(response.body as ReadableStream))
  })
}

function requestOf({ method, url, headers }: FastifyRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return new Request(new URL(url, 'http://127.0.0.1'), { method, headers: given as [string, string][] })
}

/** Requests to the application itself, on no socket. */
function fetchWithin(app: FastifyInstance, { headers: given }: FastifyRequest): typeof fetch {
  const caller = Object.fromEntries(
    passedOn.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { pathname, search } = new URL(String(input))
    const reply = await app.inject({
      method: method as 'GET',
      url: pathname + search,
      headers: { ...Object.fromEntries(new Headers(headers)), ...caller },
      ...(typeof body === 'string' && { payload: body }),
      ...(signal && { signal }),
    })
    const { statusCode: status, rawPayload } = reply
    const empty = status === 204 || status === 304
    return new Response(empty ? null : new Uint8Array(rawPayload), {
      status,
      headers: reply.headers as Record<string, string>,
    })
  }
}
