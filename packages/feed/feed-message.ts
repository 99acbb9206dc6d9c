/** Published events as messages of the feed: CloudEvents in JSON, in structured mode. */

import type { Log, LogRecord } from '@loomlog/log/port'
import { type CloudEventType, cloudEventOf, envelopeFields, formerTypeOf } from '@loomlog/schemas/cloud-events'
import type { Codec } from '@loomlog/schemas/codec'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { liveTrace } from '@loomlog/telemetry/record-spans'

export const feedTopic = 'memory-events'

/** A topic that readers follow, and the messages of its records, one a record. */
export interface MessageTopic {
  readonly name: string
  messagesOf(
    records: readonly LogRecord[],
    codec: Codec,
    isWanted: (space: string) => boolean,
  ): Promise<readonly FeedMessage[]>
}

export interface FeedMessage {
  readonly partition: number
  readonly offset: number
  /** `tenant/space`; null: a record that is no published event. */
  readonly space: string | null
  /** The id of the CloudEvent. */
  readonly id: string
  readonly type: CloudEventType | null
  /** A filter by this type matches the event too; null: only one by `type` does. */
  readonly formerType: CloudEventType | null
  /** The CloudEvent as JSON. */
  readonly json: string
  /** Null: it is not traced. */
  readonly traceparent: string | null
  /** `tenant/space` where the record is the marker of a forgetting: everything before it in the space is void. */
  readonly begins: string | null
}

/** Records of unwanted spaces are not decoded; their messages have no event. */
export async function messagesOf(
  records: readonly LogRecord[],
  codec: Codec,
  isWanted: (space: string) => boolean,
): Promise<readonly FeedMessage[]> {
  const messages: FeedMessage[] = []
  for (const record of records) {
    const { partition, offset, key, value } = record
    const event = key !== null && isWanted(key) ? await codec.decodeOrNull(value) : null
    const none = {
      traceparent: liveTrace(record),
      partition,
      offset,
      space: null,
      id: '',
      type: null,
      formerType: null,
      json: '',
      begins: event?.type === 'ForgettingPublished' ? key : null,
    }
    const of = event as PublishedEvent | null
    messages.push(of === null ? none : { ...none, space: key, ...cloudEventJson(of, record.traceparent) })
  }
  return messages
}

export const memoryEvents: MessageTopic = { name: feedTopic, messagesOf }

/**
 * @param traceparent the attribute of CloudEvents' extension for distributed tracing. It stays, at any age of the
 * event.
 */
function cloudEventJson(
  event: PublishedEvent,
  traceparent: string | undefined,
): Pick<FeedMessage, 'id' | 'type' | 'formerType' | 'json'> {
  const attributes = { ...cloudEventOf(event), ...(traceparent !== undefined && { traceparent }) }
  const data = Object.fromEntries(Object.entries(event).filter(([field]) => !envelopeFields.has(field)))
  const json = JSON.stringify({ ...attributes, datacontenttype: 'application/json', data })
  return { id: event.id, type: attributes.type, formerType: formerTypeOf(event), json }
}

/**
 * A tenant's message at its offset; null: it can't be decoded, or the feed is another one, which may be shorter.
 * Another message at this offset is never returned, since it may be another tenant's.
 */
export async function messageAt(
  { partition, offset, id, tenant }: Pick<FeedMessage, 'partition' | 'offset' | 'id'> & { readonly tenant: string },
  log: Pick<Log, 'read' | 'endOffsets'>,
  codec: Codec,
): Promise<FeedMessage | null> {
  if (offset >= ((await log.endOffsets(feedTopic))[partition] ?? 0)) return null
  const place = { topic: feedTopic, partitions: [partition], from: new Map([[partition, offset]]) }
  for await (const records of log.read({ ...place, until: 'end', maxRecords: 1 })) {
    const [message] = await messagesOf(records.slice(0, 1), codec, (space) => space.startsWith(`${tenant}/`))
    return message?.offset === offset && message.id === id && message.type !== null ? message : null
  }
  return null
}
