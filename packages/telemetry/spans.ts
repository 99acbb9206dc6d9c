/**
 * Spans of this process. Until start-traces.ts installs a tracer there are none: every function here then returns null
 * or runs its work directly, and no OpenTelemetry code is loaded. A span that isn't sampled is null too, so that
 * nothing is recorded below it.
 */
import type { Attributes } from '@opentelemetry/api'

export interface Span {
  /** Names this span to another process or a later stage (W3C Trace Context). */
  readonly traceparent: string
  /** Runs work in which this span is the active one. */
  run<T>(work: () => T): T
  set(attributes: Attributes): void
  /** Refers to a span that this one also results from. */
  link(traceparent: string): void
  /** Marks the span as failed. @param type a name with few values, never a message: those may hold people's words */
  fail(type: string): void
  end(): void
}

export type SpanKind = 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER' | 'INTERNAL'

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  /**
   * `active`: a child of the active span, and no span without one. `none`: a trace begins. Otherwise a traceparent from
   * elsewhere.
   */
  readonly parent: 'active' | 'none' | { readonly traceparent: string }
}

/** Ids of the active span, for log lines. */
export interface TraceIds {
  readonly trace_id: string
  readonly span_id: string
  readonly trace_flags: string
}

export interface Tracer {
  /** `messaging.system` of the log. */
  readonly messagingSystem: string
  start(start: SpanStart): Span | null
  activeIds(): TraceIds | null
}

let tracer: Tracer | null = null

/** @param installed null: no more spans */
export function installTracer(installed: Tracer | null): void {
  tracer = installed
}

export function isTracing(): boolean {
  return tracer !== null
}

export function messagingSystem(): string {
  return tracer?.messagingSystem ?? ''
}

export function startSpan(start: SpanStart): Span | null {
  return tracer === null ? null : tracer.start(start)
}

/** Runs work within a span, and leaves the span open. Null: runs it without a span. */
export function withActiveSpan<T>(span: Span | null, work: () => T): T {
  return span === null ? work() : span.run(work)
}

/** Runs work in a child of the active span, and ends the child. Without an active span there is no child. */
export async function inSpan<T>(start: Omit<SpanStart, 'parent'>, work: (span: Span | null) => Promise<T>): Promise<T> {
  const span = startSpan({ ...start, parent: 'active' })
  return span === null
    ? await work(null)
    : await endSpanAfter(
        span,
        span.run(() => work(span)),
      )
}

/** Ends the span when the work ends, and marks it as failed if the work throws. */
export async function endSpanAfter<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    span.fail(errorType(error))
    throw error
  } finally {
    span.end()
  }
}

/** The code of an operating error, the status of an HTTP error, or else the error's name. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown }
  if (typeof code === 'string') return code
  return typeof status === 'number' ? String(status) : error.name
}

/** For pino's `mixin`: lines that are written within a span carry its ids. */
export function traceIds(): TraceIds | Record<never, never> {
  return tracer?.activeIds() ?? {}
}
