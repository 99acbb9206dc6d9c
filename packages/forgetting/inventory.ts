/**
 * The records that a rewritten space no longer needs: those of the space before the marker, in every topic, and those
 * without its key that quote its ids. It is found from the log alone, without the request, so that an erasure that was
 * interrupted continues: records that are needed to find others come last.
 */
import { partitionOf } from '@loomlog/log/partition'
import type { LogRecord, Position } from '@loomlog/log/port'
import type { LoomEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { recordHash } from './certificate.ts'
import { type ForgettingState, forgettingsTopic } from './forgettings.ts'
import { type LogParts, readEras } from './space-history.ts'

export interface VoidRecord {
  readonly position: Position
  /** The record's name; `other`: an extension's, or one that can't be decoded. */
  readonly type: string
}

/** A void record of a source event. */
export interface VoidSource extends VoidRecord {
  readonly id: string
  /** Of its bytes. */
  readonly hash: string
}

export interface Inventory {
  /** In the order in which they are erased. */
  readonly records: readonly VoidRecord[]
  /** Those of source events that the space no longer has. */
  readonly forgotten: readonly VoidSource[]
}

interface Reading extends LogParts {
  readonly space: string
  readonly state: ForgettingState
  /** Markers of the forgetting that count. */
  readonly markers: number
}

/** Topics whose records have another key than the space's, and may quote ids of it. */
const unkeyed = new Set(['audit', 'webhooks'])
/** Topics without words, names or ids of a space. */
const impersonal = new Set(['keys', 'key-uses', 'generations'])
/** Erased after the records that are found by them. */
const last = ['memory-events', 'utterances', forgettingsTopic]

/**
 * A log that doesn't erase records destroys those before its last rotation of the key: what the stages wrote between
 * the last two rewrites came from kept events, and may have the newest key.
 * @param state rewritten; every stage and view has passed its marker
 */
export async function inventoryOf(state: ForgettingState, parts: LogParts): Promise<Inventory> {
  const markers = (parts.log.erasesRecords ? null : state.steps.passed?.markers) ?? Number.POSITIVE_INFINITY
  const reading = { ...parts, state, space: spaceKey(state.tenant, state.space), markers }
  // A record without the key of the space isn't destroyed with it.
  const isOutOfReach = (name: string) => impersonal.has(name) || (!parts.log.erasesRecords && unkeyed.has(name))
  const topics = (await parts.log.topics()).map(({ name }) => name).filter((name) => !isOutOfReach(name))
  const inOrder = [...topics.filter((name) => !last.includes(name)), ...last.filter((name) => topics.includes(name))]
  const cuts = new Map<string, number>()
  for (const topic of topics) cuts.set(topic, await markerIn(topic, reading))
  const eras = await readEras(reading.space, parts)
  const marked = eras.filter(({ marker }) => marker?.forgetting === state.id).slice(0, markers)
  const judging = { ...reading, cuts, markedAt: marked.at(-1)?.marker?.appendedAt ?? 0 }
  const records: VoidRecord[] = []
  const sources: VoidSource[] = []
  for (const topic of inOrder) {
    for await (const { record, event } of recordsIn(topic, reading)) {
      if (!isVoid(record, event, judging)) continue
      const { partition, offset } = record
      const found = { position: { topic, partition, offset }, type: event?.type ?? 'other' }
      records.push(found)
      if (topic === 'utterances' && event !== null && 'id' in event)
        sources.push({ ...found, id: event.id, hash: recordHash(record.value) })
    }
  }
  const kept = new Set(eras.at(-1)?.events.map(({ id }) => id))
  const forgotten = sources.filter(({ id, type }) => !kept.has(id) && type !== 'SubjectForgotten')
  return { records, forgotten }
}

interface TopicRecord {
  readonly record: LogRecord
  readonly event: LoomEvent | null
}

/** The records that may concern the space: those under its key, and in some topics those that name it. */
async function* recordsIn(
  topic: string,
  { log, codec, partitions, space, state }: Reading,
): AsyncGenerator<TopicRecord> {
  const isKeyed = !unkeyed.has(topic)
  const where = isKeyed ? { partitions: [partitionOf(space, partitions)] } : {}
  for await (const records of log.read({ topic, ...where, until: 'end' })) {
    const own = records.filter(({ key }) => !isKeyed || key === space)
    const events = await Promise.all(own.map(({ value }) => codec.decodeOwn(value)))
    for (const [at, record] of own.entries()) {
      const event = events[at] ?? null
      if (isKeyed || (event !== null && 'tenant' in event && event.tenant === state.tenant)) yield { record, event }
    }
  }
}

interface Judging extends Reading {
  readonly cuts: ReadonlyMap<string, number>
  /** Log time of the last marker. */
  readonly markedAt: number
}

/** Whether the record belongs to the time before the marker. */
function isVoid(
  record: LogRecord,
  event: LoomEvent | null,
  { state, space, partitions, cuts, markedAt }: Judging,
): boolean {
  const { topic, offset } = record
  const isBeforeMarker = (of: string, at: number) => at < (cuts.get(of) ?? Number.POSITIVE_INFINITY)
  switch (event?.type) {
    case 'ForgettingRequested':
      // Others wait for this forgetting, wherever they are.
      return event.id === state.id
    case 'ForgettingStatusChanged':
    case 'RecordsListed':
      return false
    case 'InputParked':
      return isBeforeMarker(event.topic, event.offset)
    case 'AnswerRecorded':
      // A stage that uses an answer after the marker has recorded it again.
      return event.since < markedAt
    case 'RequestAudited':
      return event.space === state.space && event.ids.length > 0 && event.at <= (state.steps.rewritten?.at ?? 0)
    case 'DeliveryParked':
      return event.partition === partitionOf(space, partitions) && isBeforeMarker('memory-events', event.offset)
    default:
      return !unkeyed.has(topic) && isBeforeMarker(topic, offset)
  }
}

/** The offset of the forgetting's last marker that counts in the topic, which is kept. Without a marker: the end. */
async function markerIn(topic: string, reading: Reading): Promise<number> {
  const { state, log, partitions, space, markers } = reading
  if (unkeyed.has(topic)) return 0
  let found: number | null = null
  let seen = 0
  for await (const { record, event } of recordsIn(topic, reading)) {
    if (topic === forgettingsTopic && event?.type === 'ForgettingRequested' && event.id === state.id)
      found = record.offset + 1
    else if (topic !== forgettingsTopic && event !== null && 'forgetting' in event && event.forgetting === state.id) {
      seen += 1
      if (seen <= markers) found = record.offset
    }
  }
  if (found !== null || topic === forgettingsTopic) return found ?? 0
  return (await log.endOffsets(topic))[partitionOf(space, partitions)] ?? 0
}
