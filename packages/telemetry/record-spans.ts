/**
 * Spans of records, by OpenTelemetry's conventions for messaging: a producer's span for an append, and a consumer's
 * span for each record that a stage processes, from reading it to its commit. A consumer's span continues the trace of
 * its record.
 *
 * Only live work is traced. A record without a trace, one that is older than `tracedWithinMs`, and one that is read by
 * a background derivation gets no span: a replay would repeat each trace of the past.
 */
import type { LogRecord } from '@loomlog/log/port'
import { messagingSystem, type Span, startSpan } from './spans.ts'

/** Log time. A stage that was down for longer catches up without spans. */
const tracedWithinMs = 3_600_000

export interface RecordConsumer {
  /** The stage, view or service. */
  readonly name: string
  /** Its group in the log. */
  readonly group: string
  /** False for background derivations. */
  readonly isLive: boolean
}

/** The trace of a record; null: it has none, or is too old. */
export function liveTrace({ traceparent, timestamp }: Pick<LogRecord, 'traceparent' | 'timestamp'>): string | null {
  return traceparent === undefined || timestamp < Date.now() - tracedWithinMs ? null : traceparent
}

/** Null: the record's trace is not continued. */
export function processSpan(record: LogRecord, consumer: RecordConsumer): Span | null {
  const traceparent = liveTrace(record)
  if (traceparent === null || !consumer.isLive) return null
  // The name of a derived topic ends with its derivation.
  const [topic = ''] = record.topic.split('.')
  return startSpan({
    name: `process ${topic} (${consumer.name})`,
    kind: 'CONSUMER',
    parent: { traceparent },
    attributes: {
      'messaging.system': messagingSystem(),
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': record.topic,
      'messaging.destination.template': topic,
      'messaging.destination.partition.id': String(record.partition),
      'messaging.consumer.group.name': consumer.group,
      'loomlog.offset': record.offset,
      'loomlog.space': record.key ?? '',
    },
  })
}

/** Ends the span of a record whose lease ended before the commit. The next owner processes the record again. */
export function endUncommitted(span: Span | null): void {
  span?.fail('uncommitted')
  span?.end()
}

/** A child of the active span, or of the given one. */
export function sendSpan(topic: string, parent: 'active' | { readonly traceparent: string } = 'active'): Span | null {
  return startSpan({
    name: `send ${topic}`,
    kind: 'PRODUCER',
    parent,
    attributes: {
      'messaging.system': messagingSystem(),
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.destination.name': topic,
    },
  })
}
