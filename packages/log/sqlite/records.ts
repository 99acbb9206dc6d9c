/**
 * Appending to and reading from one partition. Offsets rise by one, the end of a partition is kept beside it, and both change
 * in the same transaction, so a reader sees all of an append or nothing.
 */
import { placeOf } from '../partition.ts'
import type { LogRecord, NewRecord, Position } from '../port.ts'
import type { Database } from './database.ts'
import type { Topic } from './topics.ts'

/** Keeps a batch of large records within bounds; one record is always read. */
const maxBatchBytes = 8_000_000

/** Inside a write. The positions are the records' own offsets, in the order given. */
export function insertRecords(db: Database, topic: Topic, records: readonly NewRecord[]): readonly Position[] {
  const ends = new Map<number, number>()
  db.touch(topic.id)
  const positions = records.map((record) => {
    const partition = placeOf(record, topic.partitions)
    const offset = ends.get(partition) ?? endOffset(db, topic, partition)
    db.run(
      'insert into records (topic, partition, offset, key, value, timestamp) values (?, ?, ?, ?, ?, ?)',
      topic.id,
      partition,
      offset,
      record.key,
      record.value,
      record.timestamp,
    )
    ends.set(partition, offset + 1)
    return { topic: topic.name, partition, offset }
  })
  for (const [partition, end] of ends) {
    db.run('update partitions set end_offset = ? where topic = ? and partition = ?', end, topic.id, partition)
  }
  return positions
}

function endOffset(db: Database, topic: Topic, partition: number): number {
  const row = db.one<{ end: number }>(
    'select end_offset as end from partitions where topic = ? and partition = ?',
    topic.id,
    partition,
  )
  if (!row) throw new Error(`topic ${topic.name} has no partition ${partition}`)
  return row.end
}

export function readRecords(
  db: Database,
  topic: Topic,
  range: {
    readonly partition: number
    readonly from: number
    readonly before: number
    readonly maxRecords: number
  },
): readonly LogRecord[] {
  const records: LogRecord[] = []
  let bytes = 0
  db.each<Omit<LogRecord, 'topic' | 'partition'>>(
    `select offset, key, value, timestamp from records
     where topic = ? and partition = ? and offset >= ? and offset < ? order by offset limit ?`,
    [topic.id, range.partition, range.from, range.before, range.maxRecords],
    ({ offset, key, value, timestamp }) => {
      records.push({ topic: topic.name, partition: range.partition, offset, key, value, timestamp })
      bytes += value.byteLength
      return bytes < maxBatchBytes ? 'more' : 'enough'
    },
  )
  return records
}
