/**
 * The SQLite file of the content index. It holds nothing that the log doesn't, so durability is relaxed, and a damaged file is deleted
 * and rebuilt. The processes of one machine share it.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'

const name = 'utterances-index.db'
/** How long a process waits for another one's transaction, in ms. */
const busyMs = 5_000
/** Page cache, in KiB: bounds the memory of the index for a log of any length. */
const cacheKib = 8_192

const schema = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma cache_size = -${cacheKib};
  create table if not exists contents (id blob primary key, content blob not null) without rowid;
  create table if not exists checkpoints (partition integer primary key, checkpoint text not null);
`

/** SQLite's codes of a file that is damaged or no database. */
const damaged: ReadonlySet<number> = new Set([11, 26])

export class ContentFile {
  readonly #file: string
  readonly #statements = new Map<string, StatementSync>()
  #db: DatabaseSync

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true })
    this.#file = join(dir, name)
    this.#db = this.#opened()
  }

  one(sql: string, ...values: SQLInputValue[]): { readonly [column: string]: unknown } | null {
    return this.#guarded(() => this.#prepare(sql).get(...values) ?? null)
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#guarded(() => this.#prepare(sql).run(...values))
  }

  transaction(work: () => void): void {
    this.#guarded(() => {
      this.#db.exec('begin immediate')
      try {
        work()
        this.#db.exec('commit')
      } catch (error) {
        if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('rollback')
        throw error
      }
    })
  }

  /** Empties the index: it is filled from the log again. */
  clear(): void {
    this.transaction(() => this.#db.exec('delete from contents; delete from checkpoints'))
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  /** @throws LoomlogError `log-unavailable`, retryable, after a damaged file was replaced by an empty one */
  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      if (!isDamaged(cause)) throw cause
      this.#remade()
      throw new LoomlogError('log-unavailable', `${this.#file} was damaged and is made again from the log: try again`, {
        cause,
      })
    }
  }

  #opened(): DatabaseSync {
    try {
      return this.#open()
    } catch (error) {
      if (!isDamaged(error)) throw error
      this.#delete()
      return this.#open()
    }
  }

  #open(): DatabaseSync {
    const db = new DatabaseSync(this.#file, { timeout: busyMs })
    try {
      db.exec(schema)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }

  #remade(): void {
    this.close()
    this.#statements.clear()
    this.#delete()
    this.#db = this.#open()
  }

  #delete(): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${this.#file}${suffix}`, { force: true })
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && damaged.has(Number(error.errcode) & 0xff)
}
