/**
 * Parking: what could not be processed is kept whole, with the reason, in the topic `parked`; nothing fails silently. Parking the
 * same thing twice gives the same id, and different things never share one, in whatever space they are.
 */
import { type LogRecord, maxRecordBytes, type Output } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { InputParked, ParkCode, SourceEvent, SpaceEvent } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'

export interface Parking {
  readonly stage: { readonly processor: { readonly stage: string }; readonly derivation: string; readonly codec: Codec }
  readonly record: LogRecord
  /** Null where the bytes could not be decoded, or hold nothing that belongs to a space. */
  readonly event: SpaceEvent | null
  readonly code: ParkCode
  readonly reason: string
  readonly attempts: number
}

/** The reason and the rest of the record need room as well, and what is kept for a retry grows by a third. */
export const maxParkedBytes = maxRecordBytes * 0.7

const maxReasonCharacters = 2_000

export function parkedRecord({ stage, record, event, code, reason, attempts }: Parking): Output {
  const { topic, partition, offset, value, timestamp } = record
  const where = event === null ? null : { tenant: event.tenant, space: event.space }
  const fits = value.byteLength <= maxParkedBytes
  const tooLarge = `; its ${value.byteLength} bytes are too many to keep here, and stand at ${topic}/${partition}@${offset}`
  const parked: InputParked = {
    type: 'InputParked',
    id: hash([stage.processor.stage, stage.derivation, topic, where, identity(record, event, code), code, attempts]),
    tenant: where?.tenant ?? null,
    space: where?.space ?? null,
    stage: stage.processor.stage,
    derivation: stage.derivation,
    topic,
    partition,
    offset,
    input: event?.id ?? null,
    code,
    reason: reason.slice(0, maxReasonCharacters) + (fits ? '' : tooLarge),
    attempts,
    value: fits ? value : new Uint8Array(),
    at: timestamp,
    keyId: null,
  }
  // Bytes without a readable key stay in the partition they were read from.
  const place = record.key === null ? { key: null, partition } : { key: record.key }
  return { topic: 'parked', record: { ...place, value: stage.codec.encode(parked), timestamp } }
}

/** What was admitted is its id; of what was not, several may carry the same one. */
function identity(record: LogRecord, event: SpaceEvent | null, code: ParkCode): string {
  if (event === null) return hash(Buffer.from(record.value).toString('base64'))
  return code === 'unanswered' ? event.id : contentHash(event as SourceEvent)
}
