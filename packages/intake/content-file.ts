/**
 * The file behind the index of known ids: the content hash of each id, and two checkpoints by partition of
 * `utterances`. It holds nothing that the log doesn't, so a damaged file is deleted and rebuilt (disposable-file.ts).
 * The processes of one machine share it. Rows carry checksums: a wrong hash would refuse a retry as a conflict, and a
 * wrong id would hide one.
 *
 * The file has every id below a partition's `complete` checkpoint, and none from its `started` checkpoint on. A block
 * of rows is written between the two, so a process that dies midway leaves no row whose log is unknown.
 *
 * The rows of a forgotten space from before its forgetting are erased, and a process that is behind writes none again.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { LoomlogError } from '@loomlog/errors'
import type { Checkpoint } from '@loomlog/log/checkpoint'
import {
  DamagedFile,
  eraseDeleted,
  isDamage,
  isSqliteError,
  layoutOf,
  openDisposableFile,
  removeDisposableFile,
} from '@loomlog/log/disposable-file'
import type { Sealer } from '@loomlog/log/port'
import { inTransaction } from '@loomlog/log/transaction'

export const contentFileName = 'utterances-index.db'
export const contentFileLayout = 5
/** Page cache, in KiB: bounds the memory of the index for a log of any length. */
const cacheKib = 8_192
/**
 * Pages between checkpoints of the write-ahead log. A checkpoint holds up an append, so it is small: 8,000 pages take
 * 19 to 33 ms of the processor, 1,000 take 6 to 11 ms. A row then costs 1 to 15 % more, because fewer changes share the
 * write of a page.
 */
const checkpointPages = 1_000
/** Opening compares up to this many rows with their checksums, in some 0.1 s; a look-up compares the rows it finds. */
const maxRowsCheckedOnOpen = 50_000
const schema = `
  create table contents (
    id text primary key, content text not null, "offset" integer not null, checksum integer not null) without rowid;
  create table forgettings (space text primary key, "offset" integer not null) without rowid;
  create table checkpoints (
    kind text not null, partition integer not null, next integer not null, checkpoint text not null,
    primary key (kind, partition)
  ) without rowid
`

export interface ContentFileOptions {
  readonly dir: string
  /** Null: the log is not encrypted. */
  readonly sealing: Sealer | null
  /** Reports that the file is rebuilt, and why. */
  onRebuild(message: string): void
}

export interface ContentRow {
  /** `tenant/space/id`; in place of the id a keyed hash, if the log is encrypted. */
  readonly id: string
  readonly content: string
  /** Of its record in the log. */
  readonly offset: number
}

export type CheckpointKind = 'started' | 'complete'

/** An open file. Statements belong to their database. */
interface OpenFile {
  readonly db: DatabaseSync
  readonly find: StatementSync
  readonly insert: StatementSync
  readonly checkpoints: StatementSync
  readonly moveTo: StatementSync
}

/**
 * Methods throw LoomlogError `index-unavailable`, retryable, with SQLite's error as its cause: after they have replaced
 * a damaged file, and where the file can't be used now.
 */
export class ContentFile {
  readonly #options: ContentFileOptions
  /** Null after damage: the next call opens another one. */
  #file: OpenFile | null = null

  constructor(options: ContentFileOptions) {
    this.#options = options
    this.#with(() => {})
  }

  /** The contents of the ids that are in the index, in one statement. */
  contentsOf(ids: readonly string[]): ReadonlyMap<string, string> {
    return this.#with(
      ({ find }) => new Map(find.all(JSON.stringify(ids)).map((row) => [String(row.id), checkedContent(row)])),
    )
  }

  /** By partition. */
  checkpoints(kind: CheckpointKind): ReadonlyMap<number, Checkpoint> {
    return this.#with(
      ({ checkpoints }) =>
        new Map(checkpoints.all(kind).map((row) => [Number(row.partition), JSON.parse(String(row.checkpoint))])),
    )
  }

  /** In one transaction. The first content of an id stays. Sorted rows are faster: each page is then written once. */
  insert(rows: readonly ContentRow[]): void {
    this.#with(({ db, insert }) =>
      inTransaction(db, () => {
        const forgotten = new Map(
          db
            .prepare('select * from forgettings')
            .all()
            .map((row) => [row.space, row.offset]),
        )
        for (const { id, content, offset } of rows)
          if (offset >= Number(forgotten.get(spaceOfId(id)) ?? 0))
            insert.run(id, content, offset, checksumOf(id, content))
      }),
    )
  }

  /** Erases the rows of a space (`tenant/space`) from before this offset, those that come later too. */
  forget(space: string, offset: number): void {
    this.#with(({ db }) => {
      inTransaction(db, () => {
        const upsert = `insert into forgettings values (?, ?)
          on conflict do update set "offset" = max("offset", excluded."offset")`
        db.prepare(upsert).run(space, offset)
        // `0` follows `/`: the ids of the space are those between the two.
        const ofSpace = db.prepare('delete from contents where id >= ? and id < ? and "offset" < ?')
        ofSpace.run(`${space}/`, `${space}0`, offset)
      })
      eraseDeleted(db)
    })
  }

  /** The later checkpoint of a partition stays. */
  setCheckpoints(kind: CheckpointKind, checkpoints: ReadonlyMap<number, Checkpoint>): void {
    this.#with(({ db, moveTo }) =>
      inTransaction(db, () => {
        for (const [partition, checkpoint] of checkpoints)
          moveTo.run(kind, partition, checkpoint.offset, JSON.stringify(checkpoint))
      }),
    )
  }

  /**
   * Empties the index, unless another process has done so since this `started` checkpoint was read. Returns whether it
   * was emptied.
   */
  clear(partition: number, started: Checkpoint): boolean {
    let isSame = false
    this.#with(({ db }) =>
      inTransaction(db, () => {
        isSame = isDeepStrictEqual(this.checkpoints('started').get(partition), started)
        if (isSame) db.exec('delete from contents; delete from checkpoints; delete from forgettings')
      }),
    )
    return isSame
  }

  close(): void {
    if (this.#file?.db.isOpen) this.#file.db.close()
  }

  #with<T>(work: (file: OpenFile) => T): T {
    try {
      this.#file ??= this.#open()
      return work(this.#file)
    } catch (cause) {
      throw isSqliteError(cause) || isDamage(cause) ? this.#unavailable(cause as Error) : cause
    }
  }

  #unavailable(cause: Error): LoomlogError {
    if (!isDamage(cause)) {
      const message = `${contentFileName} in ${this.#options.dir} can't be used: ${cause.message}`
      return new LoomlogError('index-unavailable', message, { cause })
    }
    this.#remove(cause)
    const message = `${contentFileName} was damaged and is rebuilt from the log: try again`
    return new LoomlogError('index-unavailable', message, { cause })
  }

  #open(): OpenFile {
    const layout = layoutOf(contentFileLayout, this.#options.sealing)
    const db = openDisposableFile({ ...this.#options, name: contentFileName, schema, layout })
    try {
      db.exec(`pragma cache_size = -${cacheKib}; pragma wal_autocheckpoint = ${checkpointPages}`)
      checkRows(db)
      return prepared(db)
    } catch (error) {
      db.close()
      if (!isDamage(error)) throw error
      this.#remove(error as Error)
      return this.#open()
    }
  }

  #remove({ message }: Error): void {
    this.close()
    this.#file = null
    const { dir, onRebuild } = this.#options
    onRebuild(`${contentFileName} is damaged (${message}): it is deleted and rebuilt from the log`)
    removeDisposableFile(dir, contentFileName)
  }
}

function prepared(db: DatabaseSync): OpenFile {
  return {
    db,
    find: db.prepare(
      // `cross join` fixes the order: each id is looked up, instead of a scan of all contents.
      'select contents.id, content, checksum from json_each(?) as wanted cross join contents on contents.id = wanted.value',
    ),
    insert: db.prepare('insert into contents values (?, ?, ?, ?) on conflict do nothing'),
    checkpoints: db.prepare('select partition, checkpoint from checkpoints where kind = ?'),
    moveTo: db.prepare(
      `insert into checkpoints values (?, ?, ?, ?) on conflict do update
       set next = excluded.next, checkpoint = excluded.checkpoint where excluded.next > next`,
    ),
  }
}

/** @throws DamagedFile */
function checkRows(db: DatabaseSync): void {
  const rows = db.prepare('select id, content, checksum from contents limit ?').iterate(maxRowsCheckedOnOpen)
  for (const row of rows) checkedContent(row)
}

/** @throws DamagedFile */
function checkedContent(row: { readonly [column: string]: unknown }): string {
  const content = String(row.content)
  if (checksumOf(String(row.id), content) === row.checksum) return content
  throw new DamagedFile('a row does not match its checksum')
}

/** `tenant/space` of `tenant/space/id`. */
export function spaceOfId(id: string): string {
  return id.split('/', 2).join('/')
}

function checksumOf(id: string, content: string): number {
  return crc32(id + content)
}
