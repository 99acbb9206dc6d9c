/**
 * Spans made with OpenTelemetry's SDK. The active span follows promises and callbacks (AsyncLocalStorage). Nothing is
 * registered globally, so libraries with spans of their own stay as they are.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { Span, SpanStart, TraceIds, Tracer } from './spans.ts'

type Active = AsyncLocalStorage<OtelSpan>

export function openTelemetryTracer(tracer: OtelTracer, messagingSystem: string): Tracer {
  const active: Active = new AsyncLocalStorage()
  function parentOf(parent: SpanStart['parent']): Context | null {
    if (parent === 'none') return ROOT_CONTEXT
    if (parent !== 'active') return remoteContext(parent.traceparent)
    const span = active.getStore()
    return span === undefined ? null : trace.setSpan(ROOT_CONTEXT, span)
  }
  return {
    messagingSystem,
    start({ name, kind, attributes, parent }) {
      const context = parentOf(parent)
      if (context === null) return null
      const span = tracer.startSpan(name, { kind: SpanKind[kind], attributes }, context)
      return span.isRecording() ? new ActiveSpan(span, active) : null
    },
    activeIds(): TraceIds | null {
      const context = active.getStore()?.spanContext()
      if (context === undefined) return null
      return { trace_id: context.traceId, span_id: context.spanId, trace_flags: flagsOf(context) }
    },
  }
}

class ActiveSpan implements Span {
  readonly traceparent: string
  readonly #span: OtelSpan
  readonly #active: Active

  constructor(span: OtelSpan, active: Active) {
    const context = span.spanContext()
    this.traceparent = `00-${context.traceId}-${context.spanId}-${flagsOf(context)}`
    this.#span = span
    this.#active = active
  }

  run<T>(work: () => T): T {
    return this.#active.run(this.#span, work)
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }

  link(traceparent: string): void {
    const context = spanContext(traceparent)
    if (context !== null) this.#span.addLink({ context })
  }

  fail(type: string): void {
    this.#span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
  }

  end(): void {
    this.#span.end()
  }
}

/** An invalid traceparent begins a trace, as W3C Trace Context requires. */
function remoteContext(traceparent: string): Context {
  const context = spanContext(traceparent)
  return context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: true })
}

function spanContext(traceparent: string): SpanContext | null {
  const parsed = parseTraceParent(traceparent)
  return parsed !== null && isSpanContextValid(parsed) ? parsed : null
}

function flagsOf({ traceFlags }: SpanContext): string {
  return (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')
}
