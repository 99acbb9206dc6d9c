/**
 * The CloudEvents 1.0 attributes of a published event: for the HTTP feed, and as headers of its record in Kafka (binary
 * mode). All of them follow from the event, so both bindings agree.
 */
import type { DocumentPublished, PublishedEvent } from './events.ts'

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

/**
 * The types of each record. No two records share a type, so a type tells which record the data is. Where a record has
 * two types, the first is that of an inserted memory; of a document, the type is that of its kind.
 */
export const typesByRecord = {
  TopicPublished: ['loomlog.topic.sealed', 'loomlog.topic.retracted'],
  FactPublished: ['loomlog.fact.recorded', 'loomlog.fact.retracted'],
  EventPublished: ['loomlog.event.recorded', 'loomlog.event.retracted'],
  LinkPublished: ['loomlog.events.linked', 'loomlog.events.unlinked'],
  EntryPublished: ['loomlog.entry.recorded', 'loomlog.entry.retracted'],
  DocumentPublished: ['loomlog.document.changed', 'loomlog.profile.changed'],
  CorrectionPublished: ['loomlog.correction.applied'],
  ProgressMarked: ['loomlog.progress.marked'],
  GenerationSwitched: ['loomlog.generation.switched'],
  ForgettingPublished: ['loomlog.subject.forgotten'],
} as const satisfies { readonly [record in PublishedEvent['type']]: readonly string[] }

/** Every type that the feed has. */
export const cloudEventTypes = Object.values(typesByRecord).flat()

/** The fields of a record that are attributes of its CloudEvent, or are left out; `data` has the others. */
export const envelopeFields: ReadonlySet<string> = new Set([
  ...['type', 'id', 'tenant', 'space', 'generation', 'at', 'change', 'keyId'],
])

export type CloudEventType = (typeof cloudEventTypes)[number]

export function cloudEventOf(event: PublishedEvent): CloudEventAttributes {
  const { id, tenant, space, generation } = event
  return {
    specversion: '1.0',
    id,
    tenant,
    space,
    generation,
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

/**
 * The type that the event had before entries had types of their own: filters that name it match the event too, as
 * before. Null: none.
 */
export function formerTypeOf(event: PublishedEvent): CloudEventType | null {
  return event.type === 'EntryPublished' ? documentType(event.kind) : null
}

function typeOf(event: PublishedEvent): CloudEventType {
  switch (event.type) {
    case 'DocumentPublished':
      return documentType(event.kind)
    case 'CorrectionPublished':
    case 'ProgressMarked':
    case 'GenerationSwitched':
    case 'ForgettingPublished':
      return typesByRecord[event.type][0]
    default:
      return typesByRecord[event.type][event.change === 'inserted' ? 0 : 1]
  }
}

function documentType(kind: DocumentPublished['kind']): CloudEventType {
  return typesByRecord.DocumentPublished[kind === 'profile' ? 1 : 0]
}
