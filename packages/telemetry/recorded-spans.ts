/** Records finished spans in memory, for tests. The spans are made by the real SDK. */
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { openTelemetryTracer } from './open-telemetry.ts'
import { installTracer } from './spans.ts'

export interface RecordedSpan {
  readonly name: string
  readonly traceparent: string
  readonly parentSpanId: string | null
  readonly error: string | null
}

/** Records until the test ends. The returned function gives the spans that have ended so far. */
export function recordSpans(test: { after(end: () => void): void }): () => readonly RecordedSpan[] {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  installTracer(openTelemetryTracer(provider.getTracer('test'), 'sqlite'))
  test.after(() => installTracer(null))
  return () =>
    exporter.getFinishedSpans().map((span) => {
      const { traceId, spanId } = span.spanContext()
      const { 'error.type': error = null } = span.attributes
      return {
        name: span.name,
        traceparent: `00-${traceId}-${spanId}-01`,
        parentSpanId: span.parentSpanContext?.spanId ?? null,
        error: error as string | null,
      }
    })
}
