/** Parking: what could not be processed is kept whole, with the reason, in the topic `parked`; nothing fails silently. */
import type { LogRecord, Output } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { InputParked, ParkCode, SpaceEvent } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'

export interface Parking {
  readonly stage: { readonly processor: { readonly stage: string }; readonly derivation: string; readonly codec: Codec }
  readonly record: LogRecord
  /** Null where the bytes could not be decoded. */
  readonly event: SpaceEvent | null
  readonly code: ParkCode
  readonly reason: string
  readonly attempts: number
}

export function parkedRecord({ stage, record, event, code, reason, attempts }: Parking): Output {
  const { topic, partition, offset, value, timestamp } = record
  const input = event?.id ?? `${partition}:${offset}`
  const parked: InputParked = {
    type: 'InputParked',
    id: hash([stage.processor.stage, stage.derivation, topic, input, code, attempts]),
    tenant: event?.tenant ?? null,
    space: event?.space ?? null,
    stage: stage.processor.stage,
    derivation: stage.derivation,
    topic,
    partition,
    offset,
    input: event?.id ?? null,
    code,
    reason,
    attempts,
    value,
    at: timestamp,
    keyId: null,
  }
  // Bytes without a readable key stay in the partition they were read from.
  const place = record.key === null ? { key: null, partition } : { key: record.key }
  return { topic: 'parked', record: { ...place, value: stage.codec.encode(parked), timestamp } }
}
