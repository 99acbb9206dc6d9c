/**
 * A span for each request, which continues the caller's trace (`traceparent`). It is the active span of every hook and
 * handler behind it. Routes of the process (health, metrics) and live readers of the feed, which mostly wait, have
 * none.
 */
import { endHttpServerSpan, httpServerSpan } from '@loomlog/telemetry/http-server-span'
import { isTracing, type Span } from '@loomlog/telemetry/spans'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Call it before hooks whose work belongs to the span. Without traces it adds nothing. */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, { raw }, next) => {
    const span = isTraced(request) ? spanOf(request) : null
    if (span === null) return next()
    spans.set(request, span)
    raw.once('close', () => endHttpServerSpan(span, raw.statusCode))
    span.run(next)
  })
  // Bodies are read in callbacks of the connection, which has no active span.
  app.addHook('preValidation', (request, _, next) => {
    const span = spans.get(request)
    if (span === undefined) next()
    else span.run(next)
  })
}

function isTraced({ routeOptions, query }: FastifyRequest): boolean {
  const { scope = 'open' } = routeOptions.config
  const { live } = query as { readonly live?: unknown }
  return scope !== 'open' && scope !== 'operate' && live === undefined
}

function spanOf({ method, routeOptions, url, protocol, headers }: FastifyRequest): Span | null {
  const [path = ''] = url.split('?')
  const { traceparent } = headers
  return httpServerSpan({
    method,
    path,
    scheme: protocol,
    route: routeOptions.url ?? 'unknown',
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  })
}
