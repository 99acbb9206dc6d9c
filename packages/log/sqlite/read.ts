/**
 * Reads a topic without a group: one partition after the other, in batches, up to the end or following it. Yields to
 * the event loop before each batch.
 *
 * Offsets have no holes except erased records (erasure.ts), and every record has a checksum. A missing record and one
 * with a wrong checksum are returned as unreadable, with the reason, so readers park them; a damaged record never
 * passes for a good one. It gets no key, since the stored key may be another tenant's.
 */
import { setImmediate as nextSlice } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { beyondEnd } from '../beyond-end.ts'
import type { LogRecord, ReadOptions } from '../port.ts'
import { unreadableValue } from '../unreadable-value.ts'
import { recordChecksum } from './checksum.ts'
import type { CommitWatch } from './commit-watch.ts'
import type { Database } from './driver.ts'
import { isErased } from './erasure.ts'
import { endOffset, endOffsets, requireTopic, type Topic } from './topics.ts'

interface Cursor {
  readonly partition: number
  next: number
  readonly before: number
}

interface Plan {
  readonly topic: Topic
  readonly cursors: readonly Cursor[]
}

export interface RecordRange {
  readonly partition: number
  readonly from: number
  readonly before: number
  readonly maxRecords: number
}

type StoredRecord = readonly [
  offset: number,
  key: string | null,
  value: Uint8Array,
  timestamp: number,
  traceparent: string | null,
  checksum: number,
]

const defaultMaxRecords = 1_000
/** Bounds a batch of large records; one record is always read. */
const maxBatchBytes = 8_000_000

/** Start and end are fixed at the call; the first batch reports a failure. */
export function readTopic(db: Database, watch: CommitWatch, options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
  const plan = planOrFailure(db, options)
  return batches(db, watch, options, plan)
}

/** The records of one partition from `from` up to its end, in order. */
export function readRecords(db: Database, topic: Topic, range: RecordRange): readonly LogRecord[] {
  const { partition, from, maxRecords } = range
  const end = endOffset(db, topic, partition) ?? 0
  const before = Math.min(range.before, end)
  const records: LogRecord[] = []
  let bytes = 0
  let next = from
  const isFull = () => records.length >= maxRecords || bytes >= maxBatchBytes
  const addMissing = (until: number) => {
    for (; next < until && !isFull(); next += 1)
      records.push(damaged({ topic: topic.name, partition, offset: next }, 'the record is missing'))
  }
  // Without a limit in SQL, which would count erased rows too.
  db.each<StoredRecord>(
    `select offset, key, value, timestamp, traceparent, checksum from records
     where topic = ? and partition = ? and offset >= ? and offset < ? order by offset`,
    [topic.id, partition, from, before],
    (row) => {
      // Retention removes the oldest records: with it, a gap before the first record is no damage.
      const [offset, , value] = row
      if (records.length > 0 || topic.retentionMs === null) addMissing(offset)
      if (isFull()) return 'enough'
      next = offset + 1
      const record = checkedRecord(topic, partition, row)
      // The last one is handed out, empty, so that readers that wait for the end reach it.
      if (isErased(record) && next < end) return 'more'
      records.push(record)
      bytes += value.byteLength
      return isFull() ? 'enough' : 'more'
    },
  )
  if (records.length > 0 || topic.retentionMs === null) addMissing(before)
  // If another process has deleted the topic meanwhile, its records are deleted, not damaged.
  return endOffset(db, topic, partition) === null ? [] : records
}

function checkedRecord(topic: Topic, partition: number, row: StoredRecord): LogRecord {
  const [offset, key, value, timestamp, traceparent, checksum] = row
  // Written out: spreading a place into each record costs as much as its checksum.
  const record: LogRecord =
    traceparent === null
      ? { topic: topic.name, partition, offset, key, value, timestamp }
      : { topic: topic.name, partition, offset, key, value, timestamp, traceparent }
  const isIntact = recordChecksum(topic.id, partition, offset, record) === checksum
  return isIntact ? record : damaged(record, 'its checksum does not match')
}

function damaged(
  { topic, partition, offset }: Pick<LogRecord, 'topic' | 'partition' | 'offset'>,
  why: string,
): LogRecord {
  const value = unreadableValue(`damaged in the log, ${topic}/${partition}@${offset}: ${why}`)
  return { topic, partition, offset, key: null, value, timestamp: 0 }
}

function planOrFailure(db: Database, options: ReadOptions): Plan | Error {
  try {
    const topic = requireTopic(db, options.topic)
    const ends = endOffsets(db, topic)
    const partitions = options.partitions ?? [...ends.keys()]
    const cursors = partitions.map((partition) => {
      const end = ends[partition]
      if (end === undefined) throw new RangeError(`topic ${topic.name} has no partition ${partition}`)
      const before = options.until === 'end' ? end : Number.MAX_SAFE_INTEGER
      const next = options.from?.get(partition) ?? 0
      if (next > end) throw beyondEnd({ topic: topic.name, partition, next, end })
      return { partition, next, before }
    })
    return { topic, cursors }
  } catch (error) {
    return error as Error
  }
}

async function* batches(
  db: Database,
  watch: CommitWatch,
  options: ReadOptions,
  plan: Plan | Error,
): AsyncGenerator<readonly LogRecord[]> {
  if (plan instanceof Error) throw plan
  const signal = options.signal ?? null
  const maxRecords = options.maxRecords ?? defaultMaxRecords
  for (;;) {
    const since = watch.commits(plan.topic.id)
    let count = 0
    // A partition at its end costs no event-loop slice, because every append reads the records of other writers in this
    // way.
    for (const cursor of plan.cursors.filter(({ next, before }) => next < before)) {
      await nextSlice()
      if (signal?.aborted) return
      const batch = nextBatch(db, plan.topic, cursor, maxRecords)
      count += batch.length
      if (batch.length > 0) yield batch
      if (signal?.aborted) return
    }
    if (count > 0) continue
    if (options.until === 'end') return
    requireSameTopic(db, plan.topic)
    await watch.wait(db, { topic: plan.topic.id, since, maxMs: Number.POSITIVE_INFINITY, signal })
  }
}

/** A deleted topic gets no more records, so its followers end with an error. */
function requireSameTopic(db: Database, topic: Topic): void {
  if (requireTopic(db, topic.name).id === topic.id) return
  throw new LoomlogError('topic-unknown', `topic ${topic.name} was deleted and created again while it was followed`)
}

function nextBatch(db: Database, topic: Topic, cursor: Cursor, maxRecords: number): readonly LogRecord[] {
  const { partition, next: from, before } = cursor
  const batch = readRecords(db, topic, { partition, from, before, maxRecords })
  const last = batch.at(-1)
  if (last) cursor.next = last.offset + 1
  return batch
}
