/**
 * Topics: callers use their names, the tables their ids, which are never reused. Deleting a topic hides it at once. Its
 * records are deleted afterwards, a portion at a time, so that no writer waits long.
 */
import { LoomlogError } from '@loomlog/errors'
import type { TopicConfig, TopicDrift } from '../port.ts'
import { driftOf } from '../topic-drift.ts'
import { checksum } from './checksum.ts'
import type { Database } from './driver.ts'

export interface Topic {
  readonly id: number
  readonly name: string
  readonly partitions: number
  readonly retentionMs: number | null
}

const recordsDeletedAtOnce = 5_000

/** @throws LoomlogError `topic-unknown` */
export function requireTopic(db: Database, name: string): Topic {
  const topic = findTopic(db, name)
  if (!topic) throw new LoomlogError('topic-unknown', `there is no topic ${name} in ${db.file}`)
  return topic
}

export function findTopic(db: Database, name: string): Topic | null {
  return db.one<Topic>('select id, name, partitions, retention_ms as retentionMs from topics where name = ?', name)
}

export function allTopics(db: Database): readonly TopicConfig[] {
  return db
    .all<TopicConfig>('select name, partitions, retention_ms as retentionMs from topics order by name')
    .map((topic) => ({ ...topic }))
}

export function topicDrift(db: Database, configs: readonly TopicConfig[]): readonly TopicDrift[] {
  return configs.flatMap((config) => {
    const found = findTopic(db, config.name)
    return found ? driftOf(config, found) : []
  })
}

export function endOffsets(db: Database, topic: Topic): readonly number[] {
  return db
    .all<{ end: number }>('select end_offset as end from partitions where topic = ? order by partition', topic.id)
    .map((row) => row.end)
}

/** Null: the topic was deleted. */
export function endOffset(db: Database, topic: Topic, partition: number): number | null {
  const sql = 'select end_offset as end from partitions where topic = ? and partition = ?'
  return db.one<{ end: number }>(sql, topic.id, partition)?.end ?? null
}

/** Inside a write. */
export function setEndOffset(db: Database, topic: Topic, partition: number, end: number): void {
  const sql = 'update partitions set end_offset = ?, checksum = ? where topic = ? and partition = ?'
  db.run(sql, end, checksum(topic.id, partition, end), topic.id, partition)
}

/** Whether `createTopic` has nothing to write, so that a read-only log can be opened. */
export function isCreated(db: Database, { name, partitions, retentionMs }: TopicConfig): boolean {
  const topic = findTopic(db, name)
  return topic?.partitions === partitions && topic.retentionMs === retentionMs
}

/** Inside a write. */
export function createTopic(db: Database, config: TopicConfig): void {
  const { name, partitions, retentionMs } = config
  if (!Number.isInteger(partitions) || partitions < 1) throw new RangeError(`${name}: ${partitions} partitions`)
  const existing = findTopic(db, name)
  if (existing && existing.partitions !== partitions) {
    throw new LoomlogError('topic-mismatch', `topic ${name} has ${existing.partitions} partitions, not ${partitions}`)
  }
  if (existing) {
    db.run('update topics set retention_ms = ? where id = ?', retentionMs, existing.id)
    setChecksum(db, existing.id)
    return
  }
  const insert = 'insert into topics (name, partitions, retention_ms, checksum) values (?, ?, ?, 0)'
  db.run(insert, name, partitions, retentionMs)
  const { id } = requireTopic(db, name)
  setChecksum(db, id)
  for (let partition = 0; partition < partitions; partition++) {
    const sql = 'insert into partitions (topic, partition, end_offset, checksum) values (?, ?, 0, ?)'
    db.run(sql, id, partition, checksum(id, partition, 0))
  }
}

function setChecksum(db: Database, topic: number): void {
  db.run('update topics set checksum = checksum(id, name, partitions, retention_ms) where id = ?', topic)
}

export async function deleteTopic(db: Database, name: string): Promise<void> {
  await db.write(() => {
    const topic = findTopic(db, name)
    if (!topic) return
    db.touch(topic.id)
    db.run('insert into doomed_topics (topic) values (?)', topic.id)
    db.run('delete from state where lease in (select id from leases where topic = ?)', topic.id)
    for (const table of ['leases', 'members', 'partitions']) db.run(`delete from ${table} where topic = ?`, topic.id)
    db.run('delete from topics where id = ?', topic.id)
  })
  await deleteRecordsOfDeletedTopics(db)
}

/** Deletes the records of deleted topics, also those that a dead process left. */
export async function deleteRecordsOfDeletedTopics(db: Database): Promise<void> {
  const next = () => db.one<{ topic: number }>('select topic from doomed_topics limit 1')
  for (let doomed = next(); doomed; doomed = next()) {
    const { topic } = doomed
    await db.write(() => {
      const deleted = db.run(
        `delete from records where (topic, partition, offset) in
           (select topic, partition, offset from records where topic = ? limit ?)`,
        topic,
        recordsDeletedAtOnce,
      )
      if (deleted === 0) db.run('delete from doomed_topics where topic = ?', topic)
    })
  }
}
