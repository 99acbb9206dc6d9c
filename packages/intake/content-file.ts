/**
 * The file behind the index of known ids: the content hash of each id, and two checkpoints by partition of `utterances`. It holds nothing
 * that the log doesn't, so a damaged file is deleted and rebuilt (disposable-file.ts). The processes of one machine share it. Rows
 * carry checksums: a wrong hash would refuse a retry as a conflict, and a wrong id would hide one.
 *
 * The file has every id below a partition's `complete` checkpoint, and none from its `started` checkpoint on. A block of rows is written
 * between the two, so a process that dies midway leaves no row whose log is unknown.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { LoomlogError } from '@loomlog/errors'
import type { Checkpoint } from '@loomlog/log/checkpoint'
import {
  DamagedFile,
  isDamage,
  isSqliteError,
  openDisposableFile,
  removeDisposableFile,
} from '@loomlog/log/disposable-file'
import { inTransaction } from '@loomlog/log/transaction'

export const contentFileName = 'utterances-index.db'
export const contentFileLayout = 3
/** Page cache, in KiB: bounds the memory of the index for a log of any length. */
const cacheKib = 8_192
/**
 * Pages between checkpoints of the write-ahead log. A checkpoint holds up an append, so it is small: 8,000 pages take 19 to 33 ms of the
 * processor, 1,000 take 6 to 11 ms. A row then costs 1 to 15 % more, because fewer changes share the write of a page.
 */
const checkpointPages = 1_000
/** Rows of one insert statement: a statement for each row takes twice as long. */
const rowsOfAnInsert = 50
/** Opening compares up to this many rows with their checksums, in some 0.1 s; a look-up compares the rows it finds. */
const maxRowsCheckedOnOpen = 50_000
const schema = `
  create table contents (id text primary key, content text not null, checksum integer not null) without rowid;
  create table checkpoints (
    kind text not null, partition integer not null, next integer not null, log text not null, checkpoint text not null,
    primary key (kind, partition)
  ) without rowid
`

export interface ContentFileOptions {
  readonly dir: string
  /** Reports that the file is rebuilt, and why. */
  onRebuild(message: string): void
}

export interface ContentRow {
  /** `tenant/space/id` */
  readonly id: string
  readonly content: string
}

export type CheckpointKind = 'started' | 'complete'

interface Statements {
  readonly find: StatementSync
  readonly insert: StatementSync
  readonly insertMany: StatementSync
  readonly checkpoint: StatementSync
  readonly moveTo: StatementSync
  readonly otherLog: StatementSync
}

/**
 * Methods throw LoomlogError `index-unavailable`, retryable, with SQLite's error as its cause: after they have replaced a
 * damaged file, and where the file can't be used now.
 */
export class ContentFile {
  readonly #options: ContentFileOptions
  #db: DatabaseSync
  #statements: Statements
  #isClosed = false

  constructor(options: ContentFileOptions) {
    this.#options = options
    this.#db = this.#usable(() => this.#open())
    this.#statements = prepared(this.#db)
    this.#check()
  }

  /** The contents of the ids that are in the index, in one statement. */
  contentsOf(ids: readonly string[]): ReadonlyMap<string, string> {
    const rows = this.#guarded(() => this.#statements.find.all(JSON.stringify(ids)))
    return this.#guarded(() => new Map(rows.map((row) => [String(row.id), checkedContent(row)])))
  }

  checkpoint(kind: CheckpointKind, partition: number): Checkpoint | null {
    const row = this.#guarded(() => this.#statements.checkpoint.get(kind, partition))
    return row === undefined ? null : (JSON.parse(String(row.checkpoint)) as Checkpoint)
  }

  /** In one transaction. The first content of an id stays. Sorted rows are faster: each page is then written once. */
  insert(rows: readonly ContentRow[]): void {
    this.#transaction(() => {
      const { insert, insertMany } = this.#statements
      const many = rows.length - (rows.length % rowsOfAnInsert)
      for (let at = 0; at < many; at += rowsOfAnInsert) insertMany.run(...columnsOf(rows, at, at + rowsOfAnInsert))
      for (let at = many; at < rows.length; at += 1) insert.run(...columnsOf(rows, at, at + 1))
    })
  }

  /** The later checkpoint of a partition stays. */
  setCheckpoints(kind: CheckpointKind, checkpoints: ReadonlyMap<number, Checkpoint>): void {
    this.#transaction(() => {
      for (const [partition, checkpoint] of checkpoints) {
        const { offset, log } = checkpoint
        this.#statements.moveTo.run(kind, partition, offset, log, JSON.stringify(checkpoint))
      }
    })
  }

  /** Empties the index: it is filled from the log again. */
  clear(): void {
    this.#transaction(() => this.#db.exec('delete from contents; delete from checkpoints'))
  }

  /** Empties the index if it was made from another log, unless another process has done so meanwhile. Returns the identity of that log. */
  clearOther(log: string): string | null {
    const other = () => this.#guarded(() => this.#statements.otherLog.get(log))
    const found = other()
    if (found === undefined) return null
    this.#transaction(() => {
      if (other() !== undefined) this.#db.exec('delete from contents; delete from checkpoints')
    })
    return String(found.log)
  }

  close(): void {
    this.#isClosed = true
    this.#release()
  }

  #release(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #open(): DatabaseSync {
    const db = openDisposableFile({ ...this.#options, name: contentFileName, schema, layout: contentFileLayout })
    db.exec(`pragma cache_size = -${cacheKib}; pragma wal_autocheckpoint = ${checkpointPages}`)
    return db
  }

  #check(): void {
    try {
      const rows = this.#db.prepare('select id, content, checksum from contents limit ?').iterate(maxRowsCheckedOnOpen)
      for (const row of rows) checkedContent(row)
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#replace(error as Error)
    }
  }

  /** A replacement that failed, such as on a full disk, leaves no open file. */
  #requireOpen(): void {
    if (this.#db.isOpen || this.#isClosed) return
    this.#reopen()
    this.#check()
  }

  /** Both fields change, or none: an open file without statements would never be replaced. */
  #reopen(): void {
    const db = this.#open()
    try {
      this.#statements = prepared(db)
    } catch (error) {
      db.close()
      throw error
    }
    this.#db = db
  }

  #transaction(work: () => void): void {
    this.#guarded(() => inTransaction(this.#db, work))
  }

  #guarded<T>(work: () => T): T {
    return this.#usable(() => {
      this.#requireOpen()
      try {
        return work()
      } catch (cause) {
        if (!isDamage(cause)) throw cause
        this.#replace(cause as Error)
        const message = `${contentFileName} was damaged and is rebuilt from the log: try again`
        throw new LoomlogError('index-unavailable', message, { cause })
      }
    })
  }

  #usable<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      if (!isSqliteError(cause)) throw cause
      const message = `${contentFileName} in ${this.#options.dir} can't be used: ${cause.message}`
      throw new LoomlogError('index-unavailable', message, { cause })
    }
  }

  #replace({ message }: Error): void {
    this.#release()
    const { dir, onRebuild } = this.#options
    onRebuild(`${contentFileName} is damaged (${message}): it is deleted and rebuilt from the log`)
    removeDisposableFile(dir, contentFileName)
    this.#reopen()
  }
}

function prepared(db: DatabaseSync): Statements {
  return {
    find: db.prepare(
      // `cross join` fixes the order: each id is looked up, instead of a scan of all contents.
      'select contents.id, content, checksum from json_each(?) as wanted cross join contents on contents.id = wanted.value',
    ),
    insert: db.prepare(insertOf(1)),
    insertMany: db.prepare(insertOf(rowsOfAnInsert)),
    checkpoint: db.prepare('select checkpoint from checkpoints where kind = ? and partition = ?'),
    moveTo: db.prepare(
      `insert into checkpoints values (?, ?, ?, ?, ?) on conflict do update
       set next = excluded.next, log = excluded.log, checkpoint = excluded.checkpoint where excluded.next > next`,
    ),
    otherLog: db.prepare('select log from checkpoints where log <> ? limit 1'),
  }
}

function insertOf(rows: number): string {
  return `insert into contents values ${Array.from({ length: rows }, () => '(?, ?, ?)').join(', ')} on conflict do nothing`
}

function columnsOf(rows: readonly ContentRow[], from: number, before: number): (string | number)[] {
  const columns: (string | number)[] = []
  for (let at = from; at < before; at += 1) {
    const { id, content } = rows[at] as ContentRow
    columns.push(id, content, checksumOf(id, content))
  }
  return columns
}

/** @throws DamagedFile */
function checkedContent(row: { readonly [column: string]: unknown }): string {
  const content = String(row.content)
  if (checksumOf(String(row.id), content) === row.checksum) return content
  throw new DamagedFile('a row does not match its checksum')
}

function checksumOf(id: string, content: string): number {
  return crc32(id + content)
}
