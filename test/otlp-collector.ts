/** A fake collector: a real HTTP server on this machine that accepts spans over OTLP/HTTP (JSON), and keeps them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface CollectedSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly attributes: { readonly [name: string]: unknown }
  readonly links: readonly string[]
  readonly isError: boolean
  readonly startMs: number
  readonly endMs: number
}

export interface Collector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** The number of requests, to any path. */
  readonly requests: number
  close(): Promise<void>
}

interface Attribute {
  readonly key: string
  readonly value: { readonly [type: string]: unknown }
}

interface OtlpSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly Attribute[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status: { readonly code?: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

const statusError = 2

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  let requests = 0
  const server = createServer(async (request, response) => {
    requests += 1
    if (request.url === '/v1/traces') spans.push(...spansOf((await json(request)) as OtlpBody))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get requests() {
      return requests
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function spansOf({ resourceSpans }: OtlpBody): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => collectedSpan(span, service)))
  })
}

function collectedSpan(span: OtlpSpan, service: string): CollectedSpan {
  const { name, traceId, spanId, parentSpanId, attributes, links, status } = span
  return {
    service,
    name,
    traceId,
    spanId,
    parentSpanId: parentSpanId ?? null,
    attributes: valuesOf(attributes),
    links: links.map((link) => `${link.traceId}-${link.spanId}`),
    isError: status.code === statusError,
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
  }
}

function valuesOf(attributes: readonly Attribute[]): { readonly [name: string]: unknown } {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
