/**
 * The local copy of one partition's state: a SQLite file that follows the partition's changelog and is never ahead of it. The changelog
 * is the truth; a file that is lost, out of date or of a deleted group is made again. Changes are batched in memory: keys are hashes,
 * and writing a few touches as many pages. A second writer of the file is noticed, because every write names the offset that
 * it continues from.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'
import type { StateChange, StateReader } from '../port.ts'
import { inTransaction } from '../transaction.ts'

export interface Mark {
  /** Names the changelog: another one of the same name has another. */
  readonly incarnation: string
  /** The offset of the newest lease record applied. */
  readonly leaseOffset: number
  /** The changelog's next offset that is not applied. */
  readonly next: number
  readonly appliedAt: number
}

/** More changes than these, or older ones, are written. */
const maxWaiting = 16_384
const maxWaitingBytes = 8_000_000
const maxWaitingMs = 10_000
/** SQLite's codes for a file that is damaged or not a database. */
const damaged = [11, 26]

export class LocalState implements StateReader {
  readonly #db: DatabaseSync
  readonly #waiting = new Map<string, Uint8Array | null>()
  #mark: Mark | null
  /** The mark in the file. */
  #written: Mark | null
  #writtenAt = Date.now()
  #waitingBytes = 0
  readonly #get
  readonly #getMany
  readonly #range
  readonly #put
  readonly #delete

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true })
    this.#db = openedOrAnew(file)
    this.#get = this.#db.prepare('select value from state where key = ?')
    this.#getMany = this.#db.prepare('select key, value from state where key in (select value from json_each(?))')
    this.#range = this.#db.prepare('select key, value from state where key >= ? order by key limit ?')
    this.#put = this.#db.prepare('insert or replace into state (key, value) values (?, ?)')
    this.#delete = this.#db.prepare('delete from state where key = ?')
    this.#written = this.#markInFile()
    this.#mark = this.#written
  }

  get mark(): Mark | null {
    return this.#mark
  }

  get(key: string): Uint8Array | null {
    const waiting = this.#waiting.get(key)
    return waiting === undefined ? ((this.#get.get(key)?.value as Uint8Array | undefined) ?? null) : waiting
  }

  getMany(keys: readonly string[]): ReadonlyMap<string, Uint8Array> {
    const found = new Map<string, Uint8Array>()
    for (const { key, value } of this.#getMany.all(JSON.stringify(keys))) found.set(key as string, value as Uint8Array)
    for (const key of keys) {
      const waiting = this.#waiting.get(key)
      if (waiting) found.set(key, waiting)
      else if (waiting === null) found.delete(key)
    }
    return found
  }

  range(prefix: string, limit: number): readonly (readonly [string, Uint8Array])[] {
    const laid = [...this.#waiting].filter(([key]) => key.startsWith(prefix))
    // Reads more rows: unwritten deletions and insertions may displace as many.
    const found = this.#rangeInFile(prefix, limit + laid.length)
    if (laid.length === 0) return found
    const values = new Map<string, Uint8Array | null>([...found, ...laid])
    return [...values]
      .filter((entry): entry is [string, Uint8Array] => entry[1] !== null)
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .slice(0, limit)
  }

  #rangeInFile(prefix: string, limit: number): readonly (readonly [string, Uint8Array])[] {
    const found: (readonly [string, Uint8Array])[] = []
    for (const row of this.#range.iterate(prefix, limit)) {
      const key = row.key as string
      if (!key.startsWith(prefix)) break
      found.push([key, row.value as Uint8Array])
    }
    return found
  }

  /** @throws LoomlogError `fenced` if another owner has written the file */
  apply(changes: readonly StateChange[], to: Mark): void {
    for (const { key, value } of changes) {
      this.#waiting.set(key, value)
      this.#waitingBytes += value?.byteLength ?? 0
    }
    this.#mark = to
    const isMuch = this.#waiting.size >= maxWaiting || this.#waitingBytes >= maxWaitingBytes
    if (isMuch || Date.now() - this.#writtenAt >= maxWaitingMs) this.write()
  }

  /** Writes the batched changes. @throws LoomlogError `fenced` if another owner has written the file */
  write(): void {
    if (this.#mark === this.#written) return
    // In the order of the file's pages.
    const changes = [...this.#waiting].sort(([a], [b]) => (a < b ? -1 : 1))
    inTransaction(this.#db, () => {
      if (this.#markInFile()?.next !== this.#written?.next) {
        throw new LoomlogError('fenced', 'the local copy of the state has another owner')
      }
      for (const [key, value] of changes) {
        if (value === null) this.#delete.run(key)
        else this.#put.run(key, value)
      }
      this.#writeMark()
    })
    this.#waiting.clear()
    this.#waitingBytes = 0
    this.#written = this.#mark
    this.#writtenAt = Date.now()
  }

  /** Drops the changes that are not written: the changelog has them for the next owner. */
  forget(): void {
    this.#waiting.clear()
    this.#waitingBytes = 0
    this.#mark = this.#written
  }

  clear(): void {
    this.forget()
    inTransaction(this.#db, () => this.#db.exec('delete from state; delete from mark'))
    this.#written = null
    this.#mark = null
  }

  /** Writes the batched changes if it can. The changelog has them, so a failure needs no report. */
  close(): void {
    if (!this.#db.isOpen) return
    try {
      this.write()
    } catch {
      // The file has another owner by now, or the disk is full.
    }
    this.#db.close()
  }

  #markInFile(): Mark | null {
    const row = this.#db.prepare('select incarnation, leaseOffset, next, appliedAt from mark').get()
    return row ? (row as unknown as Mark) : null
  }

  #writeMark(): void {
    const { incarnation, leaseOffset, next, appliedAt } = this.#mark as Mark
    this.#db
      .prepare('insert or replace into mark values (1, ?, ?, ?, ?)')
      .run(incarnation, leaseOffset, next, appliedAt)
  }
}

/** A damaged copy is made again: the changelog has all of it. */
function openedOrAnew(file: string): DatabaseSync {
  try {
    return opened(file)
  } catch (error) {
    const { errcode } = error as { readonly errcode?: number }
    if (errcode === undefined || !damaged.includes(errcode & 0xff)) throw error
    for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true })
    return opened(file)
  }
}

function opened(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  try {
    // The changelog brings back what a power cut takes; the file only has to stay whole.
    db.exec(`pragma journal_mode = wal; pragma synchronous = normal;
      create table if not exists state (key text primary key, value blob not null) without rowid;
      create table if not exists mark (
        one integer primary key check (one = 1), incarnation text, leaseOffset integer, next integer, appliedAt integer)`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
