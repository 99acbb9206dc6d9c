/**
 * Metrics of the HTTP server, named by OpenTelemetry's semantic conventions, and of appended events. Measuring begins
 * before any other hook. `GET /metrics` shows the registry of the process; if there are keys, it needs a key for every
 * tenant.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const registers = [registry]
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of a request, from its headers to the end of its reply, by route.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: secondsBuckets,
    registers,
  })
  const active = new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests without a complete reply, live readers of the feed included.',
    labelNames: ['http_request_method'],
    registers,
  })
  const appended = new Counter({
    name: 'loomlog_events_appended_total',
    help: 'Events in answered requests, by route and by outcome: appended, or known from an earlier request.',
    labelNames: ['http_route', 'outcome'],
    registers,
  })
  const failed = new Counter({
    name: 'loomlog_recall_failed_candidates_total',
    help: 'Memories that were left out of a recall or a context because reading them failed.',
    labelNames: ['http_route'],
    registers,
  })
  app.addHook('onRequest', async (request, { raw }) => {
    const startedAt = performance.now()
    const { method } = request
    active.inc({ http_request_method: method })
    raw.once('close', () => {
      active.dec({ http_request_method: method })
      const labels = {
        http_request_method: method,
        http_route: routeOf(request),
        http_response_status_code: raw.statusCode,
      }
      duration.observe(labels, (performance.now() - startedAt) / 1_000)
    })
  })
  app.addHook('preSerialization', async (request, _, payload) => {
    const reply = (payload ?? {}) as { readonly [outcome: string]: unknown }
    for (const outcome of ['appended', 'known']) {
      const { [outcome]: count } = reply
      if (typeof count === 'number') appended.inc({ http_route: routeOf(request), outcome }, count)
    }
    if (Array.isArray(reply['failed'])) failed.inc({ http_route: routeOf(request) }, reply['failed'].length)
    return payload
  })
}

export function serveMetrics(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', { schema: { hide: true }, config: { scope: 'operate', audit: 'off' } }, async (_, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

/** Paths without a route share a label, so that callers can't create any number of labels. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'unknown'
}
