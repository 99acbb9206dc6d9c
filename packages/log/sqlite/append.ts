/**
 * Appending to a topic. Offsets rise by one, and the end of a partition is stored beside its records. Both change in
 * the same transaction, so a reader sees all records of an append or none.
 */
import { partitionOfRecord } from '../partition.ts'
import type { NewRecord, Position } from '../port.ts'
import { recordChecksum } from './checksum.ts'
import type { Database } from './driver.ts'
import { endOffset, setEndOffset, type Topic } from './topics.ts'

/** Inside a write. The positions are the records' own offsets, in the order given. */
export function insertRecords(db: Database, topic: Topic, records: readonly NewRecord[]): readonly Position[] {
  const ends = new Map<number, number>()
  db.touch(topic.id)
  const positions = records.map((record) => {
    const { key, value, timestamp, traceparent } = record
    const partition = partitionOfRecord(record, topic.partitions)
    const offset = ends.get(partition) ?? requireEnd(db, topic, partition)
    db.run(
      `insert into records (topic, partition, offset, key, value, timestamp, traceparent, checksum)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      topic.id,
      partition,
      offset,
      key,
      value,
      timestamp,
      traceparent ?? null,
      recordChecksum(topic.id, partition, offset, record),
    )
    ends.set(partition, offset + 1)
    return { topic: topic.name, partition, offset }
  })
  for (const [partition, end] of ends) setEndOffset(db, topic, partition, end)
  return positions
}

function requireEnd(db: Database, topic: Topic, partition: number): number {
  const end = endOffset(db, topic, partition)
  if (end === null) throw new Error(`topic ${topic.name} has no partition ${partition}`)
  return end
}
