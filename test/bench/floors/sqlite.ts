/**
 * The floor on SQLite: the fastest loop that node:sqlite alone allows, with nothing of loomlog in it and the same durability (WAL,
 * synchronous=full). It reads a partition's next records, and writes one output of a given size for every record and the
 * position in one transaction, partition after partition in turn. Variants that were slower: a transaction for several partitions
 * is not one of the same size; rows one after the other by `get`; an index beside the primary key.
 *
 * It leaves out everything between the bytes: decoding, admission, ids, order, state, owners, other processes.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { placeOf } from '@loomlog/log/partition'
import type { NewRecord } from '@loomlog/log/port'
import type { FloorRun } from './kafka.ts'

export interface SqliteFloor {
  readonly dir: string
  readonly input: readonly NewRecord[]
  readonly partitions: number
  readonly recordsOfATransaction: number
  /** What is written for one record. */
  readonly outputValue: Uint8Array
}

interface Row {
  readonly offset: number
  readonly key: string
  readonly value: Uint8Array
  readonly timestamp: number
}

export function sqliteFloor(floor: SqliteFloor): FloorRun {
  const db = new DatabaseSync(join(floor.dir, 'floor.db'))
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  for (const table of ['input', 'output']) {
    db.exec(`create table ${table} (part integer not null, offset integer not null, key text, value blob not null,
      timestamp integer not null, primary key (part, offset)) without rowid, strict`)
  }
  db.exec('create table positions (part integer primary key, next integer not null) strict')
  fill(db, floor)
  const read = db.prepare('select offset, key, value, timestamp from input where part = ? and offset >= ? order by offset limit ?')
  const write = db.prepare('insert into output values (?, ?, ?, ?, ?)')
  const advance = db.prepare('insert or replace into positions values (?, ?)')
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const next = Array.from({ length: floor.partitions }, () => 0)
  let transactions = 0
  const startedAt = performance.now()
  for (let found = 1; found > 0; ) {
    found = 0
    for (let part = 0; part < floor.partitions; part++) {
      const rows = read.all(part, next[part] ?? 0, floor.recordsOfATransaction) as unknown as readonly Row[]
      const last = rows.at(-1)
      if (!last) continue
      begin.run()
      for (const { offset, key, timestamp } of rows) write.run(part, offset, key, floor.outputValue, timestamp)
      next[part] = last.offset + 1
      advance.run(part, last.offset + 1)
      commit.run()
      found += rows.length
      transactions += 1
    }
  }
  const ms = performance.now() - startedAt
  db.close()
  return { ms, transactions }
}

function fill(db: DatabaseSync, { input, partitions }: SqliteFloor): void {
  const insert = db.prepare('insert into input values (?, ?, ?, ?, ?)')
  const ends = Array.from({ length: partitions }, () => 0)
  db.exec('begin')
  for (const record of input) {
    const part = placeOf(record, partitions)
    insert.run(part, ends[part] ?? 0, record.key, record.value, record.timestamp)
    ends[part] = (ends[part] ?? 0) + 1
  }
  db.exec('commit')
}
