/**
 * Records of the log as values of JSON, and back. A record that is read back is checked by its Avro schema, field by
 * field: a missing field gets its default, as in an archive of an earlier version; an unknown one is refused, since the
 * log would lose it. Then it is checked as the intake would.
 */
import { isDeepStrictEqual } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { formatValue, invalidInput } from '@loomlog/errors/invalid-input'
import { maxRecordBytes } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded, SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { ArchivedRecord, ArchivedTopic } from './archive.ts'
import { checkId, checkLogTime, checkSourceEvent } from './source-event-check.ts'

/** A checked record, as the log takes it. */
export type CheckedRecord =
  | { readonly topic: 'completions'; readonly appendedAt: number; readonly event: AnswerRecorded }
  | { readonly topic: 'utterances'; readonly event: SourceEvent }

export function archivedRecord(event: SourceEvent | AnswerRecorded, appendedAt: number): ArchivedRecord {
  if (event.type !== 'AnswerRecorded') return { topic: 'utterances', record: event }
  const vector = event.vector === null ? null : Buffer.from(event.vector).toString('base64')
  return { topic: 'completions', appendedAt, record: { ...event, vector } }
}

/** @throws LoomlogError `input-invalid`, with the field where one is wrong */
export async function checkedRecord(line: unknown, key: string, codec: Codec): Promise<CheckedRecord> {
  const { topic, appendedAt, record } = (line ?? {}) as { readonly [field: string]: unknown }
  if (topic !== 'completions' && topic !== 'utterances') throw invalidInput('topic', topic, 'completions or utterances')
  if (record === null || typeof record !== 'object') throw invalidInput('record', record, 'a record')
  const event = await throughCodec(withBytes(record), topic, codec)
  const found = spaceKey(event.tenant, event.space)
  if (found !== key) throw invalidInput('tenant and space', found, `${key}, as in the header`)
  if (event.type !== 'AnswerRecorded') {
    checkSourceEvent(event)
    return { topic: 'utterances', event }
  }
  checkId('key', event.key)
  checkLogTime('appendedAt', appendedAt)
  return { topic: 'completions', appendedAt: Number(appendedAt), event }
}

function withBytes(record: object): object {
  const { vector } = record as { readonly vector?: unknown }
  return typeof vector === 'string' ? { ...record, vector: new Uint8Array(Buffer.from(vector, 'base64')) } : record
}

/** The event as the log would give it back. */
async function throughCodec(record: object, topic: ArchivedTopic, codec: Codec): Promise<SourceEvent | AnswerRecorded> {
  const { type } = record as { readonly type?: unknown }
  if (!belongsTo(topic, record)) throw invalidInput('type', type, `one of ${topicSpec(topic).records.join(', ')}`)
  const bytes = encoded(record, codec)
  if (bytes.length > maxRecordBytes)
    throw new LoomlogError('record-too-large', `the record has ${bytes.length} bytes: expected ${maxRecordBytes}`)
  const read = await codec.decode(bytes)
  const lost = lostField(record, read)
  if (lost !== null) throw new LoomlogError('input-invalid', `${type}: a log can't hold ${lost}`)
  return read as SourceEvent | AnswerRecorded
}

function encoded(record: SourceEvent | AnswerRecorded, codec: Codec): Uint8Array {
  try {
    return codec.encode(record)
  } catch (cause) {
    throw new LoomlogError('input-invalid', `${record.type}: ${(cause as Error).message}`, { cause })
  }
}

/** A marker of a forgetting belongs to no archive: read into a log, it would make the space void there. */
export function belongsTo(topic: ArchivedTopic, event: object): event is SourceEvent | AnswerRecorded {
  const { type } = event as { readonly type?: unknown }
  return typeof type === 'string' && type !== 'SubjectForgotten' && topicSpec(topic).records.includes(type)
}

/** The first field of the record that was not read back as it is; null: there is none. */
function lostField(given: unknown, read: unknown, path = ''): string | null {
  if (given === null || typeof given !== 'object' || given instanceof Uint8Array)
    return isDeepStrictEqual(given, read) ? null : `${path} ${formatValue(given)}`
  for (const [name, value] of Object.entries(given)) {
    const lost = lostField(value, (read as { readonly [field: string]: unknown } | null)?.[name], `${path}/${name}`)
    if (lost !== null) return lost
  }
  return null
}
