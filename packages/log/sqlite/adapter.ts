/**
 * The Log on one machine: a folder with one SQLite file that any number of processes open at the same time. This file
 * puts the parts together; each part has a file of its own. A file that can't be written is opened for reading: writes
 * then throw `log-read-only`.
 */
import { crashPoint } from '../crash-points.ts'
import type { WithKeys } from '../encryption/key-store.ts'
import type { JoinOptions, Log, Membership, NewRecord, Position, ReadOptions } from '../port.ts'
import { checkRecordSize, limitOf } from '../record-size.ts'
import { insertRecords } from './append.ts'
import { CommitWatch } from './commit-watch.ts'
import { Database } from './driver.ts'
import { eraseRecords } from './erasure.ts'
import { allGroups, deleteGroup } from './groups.ts'
import { identityOf } from './identity.ts'
import { sqliteKeys } from './key-store.ts'
import { SqliteMembership } from './membership.ts'
import { readTopic } from './read.ts'
import { schemaRegistry } from './registry.ts'
import { Retention } from './retention.ts'
import {
  allTopics,
  createTopic,
  deleteRecordsOfDeletedTopics,
  deleteTopic,
  endOffsets,
  isCreated,
  requireTopic,
  topicDrift,
} from './topics.ts'

export interface SqliteLogOptions {
  /** Created if it is missing; holds `log.db`. */
  readonly dir: string
  /** The file grows no further than this: then appends throw `log-full`. Default: as far as the disk reaches. */
  readonly maxBytes?: number
  /** `read`: nothing is created or written, and writes throw `log-read-only`. Default: `write`, where it is allowed. */
  readonly access?: 'write' | 'read'
}

/** @throws LoomlogError `log-unavailable`, `log-corrupt`, `log-full` */
export function openSqliteLog(options: SqliteLogOptions): Log & WithKeys {
  const watch = new CommitWatch()
  const db = new Database({
    dir: options.dir,
    maxBytes: options.maxBytes ?? null,
    access: options.access ?? 'write',
    onCommit: (topics) => watch.wake(topics),
  })
  const keys = sqliteKeys(db)
  const retention = new Retention(db)
  const memberships = new Set<Membership>()

  async function append(topicName: string, records: readonly NewRecord[]): Promise<readonly Position[]> {
    for (const record of records) checkRecordSize(topicName, record, limitOf(keys))
    const positions = await db.write(() => {
      const topic = requireTopic(db, topicName)
      retention.apply(topic, Date.now())
      const appended = insertRecords(db, topic, records)
      crashPoint('append.before-commit')
      return appended
    })
    crashPoint('append.after-commit')
    return positions
  }

  async function join(joinOptions: JoinOptions): Promise<Membership> {
    requireTopic(db, joinOptions.topic)
    const membership = new SqliteMembership(db, watch, joinOptions)
    memberships.add(membership)
    void membership.ended.then(() => memberships.delete(membership))
    await membership.heartbeat()
    return membership
  }

  async function close(): Promise<void> {
    await Promise.all([...memberships].map((membership) => membership.close()))
    db.close()
  }

  let closing: Promise<void> | null = null
  // A failure here is retried when the log is next opened, or a topic deleted.
  deleteRecordsOfDeletedTopics(db).catch(() => {})
  return {
    keys,
    sealing: null,
    schemas: schemaRegistry(db),
    maxEndAgeMs: 0,
    createTopic: async (config) => (isCreated(db, config) ? undefined : db.write(() => createTopic(db, config))),
    topicDrift: async (configs) => topicDrift(db, configs),
    deleteTopic: (name) => deleteTopic(db, name),
    topics: async () => allTopics(db),
    append,
    identity: async (topic) => identityOf(db, requireTopic(db, topic)),
    endOffsets: async (topic) => endOffsets(db, requireTopic(db, topic)),
    read: (readOptions: ReadOptions) => readTopic(db, watch, readOptions),
    join,
    erase: (positions) => eraseRecords(db, positions),
    groups: async () => allGroups(db, Date.now()),
    deleteGroup: (group) => db.write(() => deleteGroup(db, group, Date.now())),
    close() {
      closing ??= close()
      return closing
    },
  }
}
