/**
 * The local copy of one partition's state: a SQLite file that follows the partition's changelog and is never ahead of it. The
 * changelog is the truth; the file may be lost, be left behind or belong to a group that was since deleted, and is then made
 * anew. Whoever else writes to the same file is noticed, because every write names the offset that it continues from.
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'
import type { StateChange, StateReader } from '../port.ts'

export interface Mark {
  /** Names the changelog: another one of the same name has another. */
  readonly incarnation: string
  /** The offset of the newest lease record applied. */
  readonly leaseOffset: number
  /** The changelog's next offset that is not applied. */
  readonly next: number
  readonly appliedAt: number
}

export class LocalState implements StateReader {
  readonly #db: DatabaseSync
  readonly #get
  readonly #range
  readonly #put
  readonly #delete

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true })
    this.#db = new DatabaseSync(file, { timeout: 5_000 })
    // The changelog brings back what a power cut takes; the file only has to stay whole.
    this.#db.exec(`pragma journal_mode = wal; pragma synchronous = normal;
      create table if not exists state (key text primary key, value blob not null) without rowid;
      create table if not exists mark (
        one integer primary key check (one = 1), incarnation text, leaseOffset integer, next integer, appliedAt integer)`)
    this.#get = this.#db.prepare('select value from state where key = ?')
    this.#range = this.#db.prepare('select key, value from state where key >= ? order by key limit ?')
    this.#put = this.#db.prepare('insert or replace into state (key, value) values (?, ?)')
    this.#delete = this.#db.prepare('delete from state where key = ?')
  }

  get mark(): Mark | null {
    const row = this.#db.prepare('select incarnation, leaseOffset, next, appliedAt from mark').get()
    return row ? (row as unknown as Mark) : null
  }

  get(key: string): Uint8Array | null {
    return (this.#get.get(key)?.value as Uint8Array | undefined) ?? null
  }

  range(prefix: string, limit: number): readonly (readonly [string, Uint8Array])[] {
    const found: (readonly [string, Uint8Array])[] = []
    for (const row of this.#range.iterate(prefix, limit)) {
      const key = row.key as string
      if (!key.startsWith(prefix)) break
      found.push([key, row.value as Uint8Array])
    }
    return found
  }

  /** @throws LoomlogError `fenced` where the file has moved on from `from` */
  apply(from: Mark | null, changes: readonly StateChange[], to: Mark): void {
    this.#transaction(() => {
      if ((this.mark?.next ?? null) !== (from?.next ?? null)) {
        throw new LoomlogError('fenced', 'the local copy of the state has another owner')
      }
      for (const { key, value } of changes) {
        if (value === null) this.#delete.run(key)
        else this.#put.run(key, value)
      }
      this.#db
        .prepare('insert or replace into mark values (1, ?, ?, ?, ?)')
        .run(to.incarnation, to.leaseOffset, to.next, to.appliedAt)
    })
  }

  clear(): void {
    this.#transaction(() => this.#db.exec('delete from state; delete from mark'))
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #transaction(work: () => void): void {
    this.#db.exec('begin immediate')
    try {
      work()
      this.#db.exec('commit')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback')
      throw error
    }
  }
}
