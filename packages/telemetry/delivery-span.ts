/**
 * The span of a request to a webhook, by OpenTelemetry's conventions for HTTP. It lacks path and query:
 * receivers put secrets there.
 */
import { type Span, startSpan } from './spans.ts'

export interface TracedDelivery {
  readonly webhook: string
  readonly url: string
  /** The traceparent of the event; null: the event is not traced. */
  readonly traceparent: string | null
}

export function deliverySpan({ webhook, url, traceparent }: TracedDelivery): Span | null {
  if (traceparent === null) return null
  const { hostname, port, protocol } = new URL(url)
  return startSpan({
    name: 'POST webhook',
    kind: 'CLIENT',
    parent: { traceparent },
    attributes: {
      'http.request.method': 'POST',
      'url.scheme': protocol.slice(0, -1),
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'loomlog.webhook': webhook,
    },
  })
}
