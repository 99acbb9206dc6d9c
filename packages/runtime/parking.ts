/**
 * Parking: an input that could not be processed is kept whole, with the reason, in the topic `parked`; nothing fails
 * silently. Parking the same input twice gives the same id. Different inputs never share one, across spaces too.
 */
import { type LogRecord, maxKeyBytes, maxRecordBytes, type Output } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { InputParked, ParkCode, ParkedInputRetried, SourceEvent, SpaceRecord } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'

export interface InputToPark {
  readonly stage: { readonly processor: { readonly stage: string }; readonly derivation: string; readonly codec: Codec }
  readonly record: LogRecord
  /** Null if the bytes could not be decoded, or hold no event of a space. */
  readonly event: SpaceRecord | null
  readonly code: ParkCode
  readonly reason: string
  readonly attempts: number
}

/** Larger inputs are not kept for a retry: base64 adds a third, and the result must fit in a state record. */
export const maxParkedInputBytes = maxRecordBytes * 0.7

const maxReasonCharacters = 2_000

export function parkedRecord(parking: InputToPark): Output {
  const { stage, record, event } = parking
  const { topic, partition, offset, key, timestamp } = record
  const whole = parked(parking, record.value, event, '')
  const tooLarge = `; its ${record.value.byteLength} bytes are too many to keep here; they are at ${topic}/${partition}@${offset}`
  const value = stage.codec.encode(whole)
  const fits = value.byteLength <= maxRecordBytes
  // Bytes without a readable key stay in the partition they were read from.
  const place = key === null || Buffer.byteLength(key) > maxKeyBytes ? { key: null, partition } : { key }
  const named = event !== null && isShort(event) ? event : null
  const without = () => stage.codec.encode(parked(parking, new Uint8Array(), named, tooLarge))
  return { topic: 'parked', record: { ...place, value: fits ? value : without(), timestamp } }
}

/** The outcome of a retry that succeeded. @param record the record of the retry */
export function retrySuccessRecord(
  { stage, record, event }: Pick<InputToPark, 'stage' | 'record'> & { readonly event: SpaceRecord },
  attempts: number,
): Output {
  const { key, timestamp } = record
  const retried: ParkedInputRetried = {
    type: 'ParkedInputRetried',
    tenant: event.tenant,
    space: event.space,
    stage: stage.processor.stage,
    derivation: stage.derivation,
    input: event.id,
    attempts,
    at: timestamp,
  }
  return { topic: 'parked', record: { key, value: stage.codec.encode(retried), timestamp } }
}

function parked(parking: InputToPark, value: Uint8Array, named: SpaceRecord | null, more: string): InputParked {
  const { stage, record, event, code, reason, attempts } = parking
  const where = event === null ? null : { tenant: event.tenant, space: event.space }
  const { topic, partition, offset, timestamp } = record
  return {
    type: 'InputParked',
    id: hash([stage.processor.stage, stage.derivation, topic, where, identity(record, event, code), code, attempts]),
    tenant: named?.tenant ?? null,
    space: named?.space ?? null,
    stage: stage.processor.stage,
    derivation: stage.derivation,
    topic,
    partition,
    offset,
    input: named?.id ?? null,
    code,
    reason: reason.slice(0, maxReasonCharacters) + more,
    attempts,
    value,
    at: timestamp,
    keyId: null,
  }
}

/** Any writer may have put these names into the log. */
function isShort({ id, tenant, space }: SpaceRecord): boolean {
  return [id, tenant, space].every((name) => Buffer.byteLength(name) <= maxKeyBytes)
}

/** An admitted event is identified by its id. Several events that were not admitted may carry the same id. */
function identity(record: LogRecord, event: SpaceRecord | null, code: ParkCode): string {
  if (event === null) return hash(Buffer.from(record.value).toString('base64'))
  return code === 'unanswered' ? event.id : contentHash(event as SourceEvent)
}
