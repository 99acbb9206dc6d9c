/**
 * Destroys records. The row of an erased record stays, without key, value and trace: a missing row is damage, a hole is
 * not. Its checksum covers the mark.
 *
 * An update alone leaves older bytes in free pages, in the unused part of pages that were split, and in the write-ahead
 * log. So the file is written once more, from its rows alone, and the write-ahead log is emptied. It takes the time and
 * the free disk space of a copy of the file, and writers wait meanwhile.
 */
import type { LogRecord, Position } from '../port.ts'
import { recordChecksum } from './checksum.ts'
import type { Database } from './driver.ts'
import { requireTopic, type Topic } from './topics.ts'

const recordsErasedAtOnce = 5_000

/** No record was ever appended at this time. */
const erased = { key: null, value: new Uint8Array(), timestamp: -1 }

export function isErased({ timestamp, value }: Pick<LogRecord, 'timestamp' | 'value'>): boolean {
  return timestamp === erased.timestamp && value.byteLength === 0
}

/** @throws LoomlogError `topic-unknown`, `log-full`, `log-unavailable` */
export async function eraseRecords(db: Database, positions: readonly Position[]): Promise<void> {
  const topics = new Map<string, Topic>()
  for (const { topic } of positions) if (!topics.has(topic)) topics.set(topic, requireTopic(db, topic))
  for (let first = 0; first < positions.length; first += recordsErasedAtOnce) {
    await db.write(() => {
      for (const { topic: name, partition, offset } of positions.slice(first, first + recordsErasedAtOnce)) {
        const { id } = topics.get(name) as Topic
        db.run(
          `update records set key = ?, value = ?, timestamp = ?, traceparent = null, checksum = ?
           where topic = ? and partition = ? and offset = ?`,
          ...[erased.key, erased.value, erased.timestamp, recordChecksum(id, partition, offset, erased)],
          ...[id, partition, offset],
        )
      }
    })
  }
  await db.compact()
}
