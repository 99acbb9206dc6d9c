/**
 * The CloudEvents 1.0 attributes of a published event: for the HTTP feed, and as headers of its record in Kafka (binary
 * mode). All of them follow from the event, so both bindings agree.
 */
import type { PublishedEvent } from './events.ts'

interface CloudEventAttributes {
  readonly specversion: '1.0'
  readonly id: string
  /** The space: /tenants/acme/spaces/home. */
  readonly source: string
  readonly type: CloudEventType
  /** The memory, or the correction; left out for marks and switches. */
  readonly subject?: string
  readonly time: string
  /** Extensions, for filters. */
  readonly tenant: string
  readonly space: string
  readonly generation: string
  readonly change?: 'inserted' | 'retracted'
}

/** Every type that the feed has. */
export const cloudEventTypes = [
  'loomlog.topic.sealed',
  'loomlog.topic.retracted',
  'loomlog.fact.recorded',
  'loomlog.fact.retracted',
  'loomlog.event.recorded',
  'loomlog.event.retracted',
  'loomlog.events.linked',
  'loomlog.events.unlinked',
  'loomlog.document.changed',
  'loomlog.profile.changed',
  'loomlog.correction.applied',
  'loomlog.progress.marked',
  'loomlog.generation.switched',
] as const

export type CloudEventType = (typeof cloudEventTypes)[number]

export function cloudEventOf(event: PublishedEvent): CloudEventAttributes {
  const { id, tenant, space, generation } = event
  return {
    specversion: '1.0',
    ...{ id, tenant, space, generation },
    source: `/tenants/${encodeURIComponent(tenant)}/spaces/${encodeURIComponent(space)}`,
    type: typeOf(event),
    time: new Date(event.at).toISOString(),
    ...('memory' in event ? { subject: event.memory, change: event.change } : {}),
    ...('correction' in event && event.type === 'CorrectionPublished' ? { subject: event.correction } : {}),
  }
}

/** The headers of the Kafka binding, in UTF-8. The value is Avro in Confluent wire format. */
export function kafkaHeaders(event: PublishedEvent): { readonly [name: string]: string } {
  const attributes = Object.entries(cloudEventOf(event)).map(([name, value]) => [`ce_${name}`, String(value)])
  return { 'content-type': 'application/avro', ...Object.fromEntries(attributes) }
}

function typeOf(event: PublishedEvent): CloudEventType {
  switch (event.type) {
    case 'TopicPublished':
      return event.change === 'inserted' ? 'loomlog.topic.sealed' : 'loomlog.topic.retracted'
    case 'FactPublished':
      return event.change === 'inserted' ? 'loomlog.fact.recorded' : 'loomlog.fact.retracted'
    case 'EventPublished':
      return event.change === 'inserted' ? 'loomlog.event.recorded' : 'loomlog.event.retracted'
    case 'LinkPublished':
      return event.change === 'inserted' ? 'loomlog.events.linked' : 'loomlog.events.unlinked'
    case 'EntryPublished':
    case 'DocumentPublished':
      return event.kind === 'profile' ? 'loomlog.profile.changed' : 'loomlog.document.changed'
    case 'CorrectionPublished':
      return 'loomlog.correction.applied'
    case 'ProgressMarked':
      return 'loomlog.progress.marked'
    case 'GenerationSwitched':
      return 'loomlog.generation.switched'
  }
}
