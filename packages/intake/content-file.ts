/**
 * The file behind the index of known ids: the content hash of each id, and a checkpoint by partition of `utterances`. It holds nothing
 * that the log doesn't, so a damaged file is deleted and made again (disposable-file.ts). The processes of one machine share it. Rows
 * carry checksums: a wrong hash would refuse a retry as a conflict, and a wrong id would hide one.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { LoomlogError } from '@loomlog/errors'
import type { Checkpoint } from '@loomlog/log/checkpoint'
import { DamagedFile, isDamage, openDisposableFile, removeDisposableFile } from '@loomlog/log/disposable-file'
import { inTransaction } from '@loomlog/log/transaction'

export const fileName = 'utterances-index.db'
const layout = 2
/** Page cache, in KiB: bounds the memory of the index for a log of any length. */
const cacheKib = 8_192
/** Of the write-ahead log. A checkpoint blocks every append, so it is rare: the log may grow to 32 MB. */
const checkpointPages = 8_000
/** Rows of one insert statement: a statement for each row takes twice as long. */
const rowsOfAnInsert = 50
/** Every row is compared with its checksum at opening up to this number, some 0.1 s; in a larger index, when it is found. */
const maxRowsCheckedOnOpen = 50_000
const schema = `
  create table contents (id text primary key, content text not null, checksum integer not null) without rowid;
  create table checkpoints (partition integer primary key, next integer not null, checkpoint text not null)
`

export interface ContentFileOptions {
  readonly dir: string
  /** Reports that the file is made again, and why. */
  onRemade(message: string): void
}

export interface ContentRow {
  /** `tenant/space/id` */
  readonly id: string
  readonly content: string
}

interface Statements {
  readonly find: StatementSync
  readonly insert: StatementSync
  readonly insertMany: StatementSync
  readonly checkpoint: StatementSync
  readonly moveTo: StatementSync
}

/** Throws LoomlogError `index-unavailable`, retryable, after a damaged file was replaced by an empty one. */
export class ContentFile {
  readonly #options: ContentFileOptions
  #db: DatabaseSync
  #statements: Statements

  constructor(options: ContentFileOptions) {
    this.#options = options
    this.#db = this.#open()
    this.#statements = prepared(this.#db)
    try {
      this.#check()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#makeAgain(error as Error)
    }
  }

  /** The contents of those ids that have one, in one statement. */
  contentsOf(ids: readonly string[]): ReadonlyMap<string, string> {
    const rows = this.#guarded(() => this.#statements.find.all(JSON.stringify(ids)))
    return this.#guarded(() => new Map(rows.map((row) => [String(row.id), checkedContent(row)])))
  }

  checkpoint(partition: number): Checkpoint | null {
    const row = this.#guarded(() => this.#statements.checkpoint.get(partition))
    return row === undefined ? null : (JSON.parse(String(row.checkpoint)) as Checkpoint)
  }

  /** In one transaction. The first content of an id stays. Sorted rows are faster: each page is then written once. */
  keep(rows: readonly ContentRow[]): void {
    this.#transaction(() => {
      const { insert, insertMany } = this.#statements
      const many = rows.length - (rows.length % rowsOfAnInsert)
      for (let at = 0; at < many; at += rowsOfAnInsert)
        insertMany.run(...rows.slice(at, at + rowsOfAnInsert).flatMap(columnsOf))
      for (const row of rows.slice(many)) insert.run(...columnsOf(row))
    })
  }

  /** The later checkpoint of a partition stays. */
  moveTo(checkpoints: ReadonlyMap<number, Checkpoint>): void {
    this.#transaction(() => {
      for (const [partition, checkpoint] of checkpoints)
        this.#statements.moveTo.run(partition, checkpoint.offset, JSON.stringify(checkpoint))
    })
  }

  /** Empties the index: it is filled from the log again. */
  clear(): void {
    this.#transaction(() => this.#db.exec('delete from contents; delete from checkpoints'))
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #open(): DatabaseSync {
    const db = openDisposableFile({ ...this.#options, name: fileName, schema, layout })
    db.exec(`pragma cache_size = -${cacheKib}; pragma wal_autocheckpoint = ${checkpointPages}`)
    return db
  }

  #check(): void {
    const rows = this.#db.prepare('select id, content, checksum from contents limit ?').iterate(maxRowsCheckedOnOpen)
    for (const row of rows) checkedContent(row)
  }

  #transaction(work: () => void): void {
    this.#guarded(() => inTransaction(this.#db, work))
  }

  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      if (!isDamage(cause)) throw cause
      this.#makeAgain(cause as Error)
      const message = `${fileName} was damaged and is made again from the log: try again`
      throw new LoomlogError('index-unavailable', message, { cause })
    }
  }

  #makeAgain({ message }: Error): void {
    this.close()
    const { dir, onRemade } = this.#options
    onRemade(`${fileName} is damaged (${message}): it is deleted and made again from the log`)
    removeDisposableFile(dir, fileName)
    this.#db = this.#open()
    this.#statements = prepared(this.#db)
  }
}

function prepared(db: DatabaseSync): Statements {
  return {
    find: db.prepare(
      // `cross join` keeps this order: a scan of all contents would cost as much as the file is large.
      'select contents.id, content, checksum from json_each(?) as wanted cross join contents on contents.id = wanted.value',
    ),
    insert: db.prepare(insertOf(1)),
    insertMany: db.prepare(insertOf(rowsOfAnInsert)),
    checkpoint: db.prepare('select checkpoint from checkpoints where partition = ?'),
    moveTo: db.prepare(
      `insert into checkpoints values (?, ?, ?)
       on conflict do update set next = excluded.next, checkpoint = excluded.checkpoint where excluded.next > next`,
    ),
  }
}

function insertOf(rows: number): string {
  return `insert into contents values ${Array.from({ length: rows }, () => '(?, ?, ?)').join(', ')} on conflict do nothing`
}

function columnsOf({ id, content }: ContentRow): [string, string, number] {
  return [id, content, checksumOf(id, content)]
}

/** @throws DamagedFile */
function checkedContent(row: { readonly [column: string]: unknown }): string {
  const content = String(row.content)
  if (checksumOf(String(row.id), content) === row.checksum) return content
  throw new DamagedFile('a row does not match its checksum')
}

function checksumOf(id: string, content: string): number {
  return crc32(content, crc32(id))
}
