/**
 * The span of an HTTP request, by OpenTelemetry's conventions. It continues the caller's trace, and lacks the query
 * string, which holds people's words.
 */
import { type Span, startSpan } from './spans.ts'

export interface TracedRequest {
  readonly method: string
  /** The pattern, such as `/v1/spaces/:space/recall`. */
  readonly route: string
  readonly path: string
  readonly scheme: string
  /** The caller's header. */
  readonly traceparent: string | undefined
}

export function httpServerSpan({ method, route, path, scheme, traceparent }: TracedRequest): Span | null {
  return startSpan({
    name: `${method} ${route}`,
    kind: 'SERVER',
    parent: traceparent === undefined ? 'none' : { traceparent },
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.path': path,
      'url.scheme': scheme,
    },
  })
}

/** Ends the span. By the conventions only a fault of the server (5xx) is an error. */
export function endHttpServerSpan(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status })
  if (status >= 500) span.fail(String(status))
  span.end()
}
