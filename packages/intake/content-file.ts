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

interface Statements {
  readonly find: StatementSync
  readonly insert: StatementSync
  readonly checkpoint: StatementSync
  readonly moveTo: StatementSync
}

/** Throws LoomlogError `log-unavailable`, retryable, after a damaged file was replaced by an empty one. */
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

  /** @param id `tenant/space/id` */
  contentOf(id: string): string | null {
    return this.#guarded(() => {
      const row = this.#statements.find.get(id)
      return row === undefined ? null : checkedContent(id, row)
    })
  }

  /** One read transaction for many look-ups: SQLite would lock the file for each. */
  reading<T>(lookUps: () => T): T {
    this.#db.exec('begin')
    try {
      return lookUps()
    } finally {
      // A damaged file was replaced meanwhile, and its transaction ended with it.
      if (this.#db.isTransaction) this.#db.exec('commit')
    }
  }

  checkpoint(partition: number): Checkpoint | null {
    const row = this.#guarded(() => this.#statements.checkpoint.get(partition))
    return row === undefined ? null : (JSON.parse(String(row.checkpoint)) as Checkpoint)
  }

  /** In one transaction. The first content of an id stays, and so does the later checkpoint of a partition. */
  keep(contents: ReadonlyMap<string, string>, checkpoints: ReadonlyMap<number, Checkpoint>): void {
    // In the order of the index: its pages are then written once each.
    const sorted = [...contents].sort(([a], [b]) => (a < b ? -1 : 1))
    this.#transaction(() => {
      const { insert, moveTo } = this.#statements
      for (const [id, content] of sorted) insert.run(id, content, checksumOf(id, content))
      for (const [partition, checkpoint] of checkpoints)
        moveTo.run(partition, checkpoint.offset, JSON.stringify(checkpoint))
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
    db.exec(`pragma cache_size = -${cacheKib}`)
    return db
  }

  #check(): void {
    const rows = this.#db.prepare('select id, content, checksum from contents limit ?').iterate(maxRowsCheckedOnOpen)
    for (const row of rows) checkedContent(String(row.id), row)
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
      throw new LoomlogError('log-unavailable', message, { cause })
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
    find: db.prepare('select content, checksum from contents where id = ?'),
    insert: db.prepare('insert into contents values (?, ?, ?) on conflict do nothing'),
    checkpoint: db.prepare('select checkpoint from checkpoints where partition = ?'),
    moveTo: db.prepare(
      `insert into checkpoints values (?, ?, ?)
       on conflict do update set next = excluded.next, checkpoint = excluded.checkpoint where excluded.next > next`,
    ),
  }
}

/** @throws DamagedFile */
function checkedContent(id: string, row: { readonly [column: string]: unknown }): string {
  const content = String(row.content)
  if (checksumOf(id, content) === row.checksum) return content
  throw new DamagedFile('a row does not match its checksum')
}

function checksumOf(id: string, content: string): number {
  return crc32(content, crc32(id))
}
