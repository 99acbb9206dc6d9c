/**
 * The tables and their migrations. `user_version` is the number of migrations that a file has had. Migrations are only
 * added. A file from a newer loomlog is refused.
 */

import type { DatabaseSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'
import { inTransaction } from '../transaction.ts'
import { type FilledTable, fillChecksums, missingChecksum } from './checksum-migration.ts'

/** `loom`, in the header of the file: it tells a log from any other SQLite file. */
const applicationId = 0x6c6f6f6d

interface CheckedTable {
  readonly name: string
  /** In the order in which the checksum covers them. */
  readonly columns: string
}

/** Small, and checked whole when the file is opened. */
const catalogueTables: readonly CheckedTable[] = [
  { name: 'identity', columns: 'one, id' },
  { name: 'topics', columns: 'id, name, partitions, retention_ms' },
  { name: 'partitions', columns: 'topic, partition, end_offset' },
  { name: 'leases', columns: 'id, group_name, topic, partition, position, epoch' },
  { name: 'schemas', columns: 'id, subject, version, canonical, schema' },
]

const records: FilledTable = {
  name: 'records',
  columns: 'topic, partition, offset, timestamp, key, value',
  primaryKey: ['topic', 'partition', 'offset'],
}
const state: FilledTable = { name: 'state', columns: 'lease, key, value', primaryKey: ['lease', 'key'] }

/** Large: every row carries a checksum too, which is checked when the row is read. */
const largeTables = [records, state]

const migrations: readonly string[] = [
  `
  -- Ids are never reused, so what belonged to a deleted topic can never be taken for its successor's.
  create table topics (
    id integer primary key autoincrement,
    name text not null unique,
    partitions integer not null,
    retention_ms integer
  ) strict;

  -- Topics that are deleted and whose records are still being removed, a portion at a time.
  create table doomed_topics (topic integer primary key) strict;

  -- Ends are kept, not counted: retention may empty a partition, and its offsets must still rise.
  create table partitions (
    topic integer not null,
    partition integer not null,
    end_offset integer not null,
    primary key (topic, partition)
  ) without rowid, strict;

  create table records (
    topic integer not null,
    partition integer not null,
    offset integer not null,
    key text,
    value blob not null,
    timestamp integer not null,
    primary key (topic, partition, offset)
  ) without rowid, strict;

  create table members (
    id text primary key,
    group_name text not null,
    topic integer not null,
    expires_at integer not null,
    -- Still alive, and finishing what it holds, but no longer to be counted when partitions are shared.
    leaving integer not null
  ) without rowid, strict;

  -- One row for each partition of a group: how far it is, and the member that holds it, for as long as that one is alive.
  create table leases (
    id integer primary key autoincrement,
    group_name text not null,
    topic integer not null,
    partition integer not null,
    position integer not null default 0,
    epoch integer not null default 0,
    owner text,
    unique (group_name, topic, partition)
  ) strict;

  create table state (
    lease integer not null,
    key text not null,
    value blob not null,
    primary key (lease, key)
  ) without rowid, strict;

  create table schemas (
    id integer primary key autoincrement,
    subject text not null,
    version integer not null,
    canonical text not null,
    schema text not null,
    unique (subject, version),
    unique (subject, canonical)
  ) strict;
  `,
  `
  -- Made with the file; a copy of the file keeps it.
  create table identity (one integer primary key check (one = 1), id text not null) strict;
  insert into identity values (1, lower(hex(randomblob(8))));
  `,
  [
    ...[...catalogueTables, ...largeTables].map(
      ({ name }) => `alter table ${name} add column checksum integer not null default ${missingChecksum};`,
    ),
    ...catalogueTables.map(({ name, columns }) => `update ${name} set checksum = checksum(${columns});`),
  ].join('\n'),
]

/** The version after the rows of large tables have got their checksums, which is the step after these migrations. */
const filled = migrations.length + 1

/** The migrations from version `filled` on. */
const additions: readonly string[] = [
  'alter table records add column traceparent text;',
  `
  -- The key of an encrypted log; no row: the log is not encrypted. Every change of a key is counted.
  create table log_key (
    one integer primary key check (one = 1),
    encrypted_by text not null,
    encrypted blob not null,
    changes integer not null
  ) strict;

  -- The place is never reused, so the newest key of a scope has the highest one. Null: the key was destroyed.
  create table data_keys (
    place integer primary key autoincrement,
    id text not null unique,
    scope text not null,
    encrypted blob
  ) strict;
  create index data_keys_scope on data_keys (scope);
  `,
]

const newest = filled + additions.length

/** Brings the file to the newest version. Several processes may try at once; one does it. */
export function migrate(db: DatabaseSync, file: string): void {
  requireLog(db, file)
  if (version(db, file) === newest) return
  addTables(db, file)
  if (version(db, file) === migrations.length) for (const table of largeTables) fillChecksums(db, table)
  addColumns(db, file)
}

/** In one transaction. A new file has no rows to fill. */
function addTables(db: DatabaseSync, file: string): void {
  inTransaction(db, () => {
    const found = version(db, file)
    for (const migration of migrations.slice(found)) db.exec(migration)
    db.exec(`pragma application_id = ${applicationId}`)
    if (found < migrations.length) db.exec(`pragma user_version = ${found === 0 ? filled : migrations.length}`)
  })
}

/** In one transaction, once every row has its checksum. */
function addColumns(db: DatabaseSync, file: string): void {
  inTransaction(db, () => {
    const found = Math.max(filled, version(db, file))
    for (const addition of additions.slice(found - filled)) db.exec(addition)
    db.exec(`pragma user_version = ${newest}`)
  })
}

/** @throws LoomlogError `log-corrupt`, naming the table */
export function checkCatalogue(db: DatabaseSync, file: string): void {
  for (const { name, columns } of catalogueTables) {
    const damaged = db.prepare(`select count(*) as rows from ${name} where checksum <> checksum(${columns})`).get()
    if (Number(damaged?.rows) === 0) continue
    const rows = `${damaged?.rows} rows of ${name} do not match their checksums`
    throw new LoomlogError('log-corrupt', `${file} is damaged: ${rows}. Restore it from a backup (loomlog restore)`)
  }
}

/** A sentence with the number of damaged rows of state; an empty list if there are none. */
export function damagedStateRows(db: DatabaseSync): readonly string[] {
  const { name, columns } = state
  const rows = Number(
    db.prepare(`select count(*) as rows from ${name} where checksum <> checksum(${columns})`).get()?.rows,
  )
  return rows === 0 ? [] : [`${rows} state records do not match their checksums`]
}

function requireLog(db: DatabaseSync, file: string): void {
  if (db.prepare('pragma application_id').get()?.application_id === applicationId) return
  if (db.prepare('select 1 from sqlite_schema limit 1').get() === undefined) return
  throw new LoomlogError('log-corrupt', `${file} is an SQLite file, but no loomlog log`)
}

/** Refuses a file of another version that can't be migrated, because it can't be written. */
export function requireCurrent(db: DatabaseSync, file: string): void {
  requireLog(db, file)
  const found = version(db, file)
  if (found === newest) return
  const message = `${file} can't be written, and was made by an older loomlog (version ${found}): open it once where it can be written`
  throw new LoomlogError('log-read-only', message)
}

function version(db: DatabaseSync, file: string): number {
  const found = Number(db.prepare('pragma user_version').get()?.user_version)
  if (found > newest) {
    throw new LoomlogError(
      'config-invalid',
      `${file} was written by a newer loomlog: its version is ${found}, this one knows ${newest}`,
    )
  }
  return found
}
