/**
 * The floor on SQLite: a bare loop on node:sqlite, without loomlog and with the same durability (WAL,
 * synchronous=full). It processes one partition after the other. In one transaction it reads the next records, and
 * writes one output of a given size for every record, and the position.
 *
 * It has no decoding, admission, ids, order in a space, keyed state (unless `stateBytes` is set), owners or other
 * processes.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { partitionOfRecord } from '@loomlog/log/partition'
import type { NewRecord } from '@loomlog/log/port'
import type { FloorRun, FloorSize } from './floor.ts'

export interface SqliteFloor extends FloorSize {
  readonly dir: string
  readonly input: readonly NewRecord[]
}

interface Row {
  readonly offset: number
  readonly key: string
  readonly value: Uint8Array
  readonly timestamp: number
}

export function runSqliteFloor(floor: SqliteFloor): FloorRun {
  const db = new DatabaseSync(join(floor.dir, 'floor.db'))
  create(db)
  fill(db, floor)
  const sql = 'select offset, key, value, timestamp from input where part = ? and offset >= ? order by offset limit ?'
  const read = db.prepare(sql)
  const write = db.prepare('insert into output values (?, ?, ?, ?, ?)')
  const keep = db.prepare('insert into state values (?, ?)')
  const advance = db.prepare('insert or replace into positions values (?, ?)')
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const output = new Uint8Array(floor.outputBytes)
  const state = new Uint8Array(floor.stateBytes)
  const next = Array.from({ length: floor.partitions }, () => 0)
  let transactions = 0
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  for (let found = 1; found > 0; ) {
    found = 0
    for (const [part, from] of next.entries()) {
      const rows = read.all(part, from, floor.recordsOfATransaction) as unknown as readonly Row[]
      const last = rows.at(-1)
      if (!last) continue
      begin.run()
      for (const { offset, key, timestamp } of rows) write.run(part, offset, key, output, timestamp)
      if (floor.stateBytes > 0) for (const { offset, key } of rows) keep.run(`${key}/${part}/${offset}`, state)
      next[part] = last.offset + 1
      advance.run(part, last.offset + 1)
      commit.run()
      found += rows.length
      transactions += 1
    }
  }
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  db.close()
  return { ms, transactions, cpuMicros: (user + system) / floor.input.length }
}

function create(db: DatabaseSync): void {
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  for (const table of ['input', 'output']) {
    db.exec(`create table ${table} (part integer not null, offset integer not null, key text, value blob not null,
      timestamp integer not null, primary key (part, offset)) without rowid, strict`)
  }
  db.exec('create table state (key text primary key, value blob not null) without rowid, strict')
  db.exec('create table positions (part integer primary key, next integer not null) strict')
}

function fill(db: DatabaseSync, { input, partitions }: SqliteFloor): void {
  const insert = db.prepare('insert into input values (?, ?, ?, ?, ?)')
  const ends = Array.from({ length: partitions }, () => 0)
  db.exec('begin')
  for (const record of input) {
    const part = partitionOfRecord(record, partitions)
    insert.run(part, ends[part] ?? 0, record.key, record.value, record.timestamp)
    ends[part] = (ends[part] ?? 0) + 1
  }
  db.exec('commit; pragma wal_checkpoint(truncate)')
}
