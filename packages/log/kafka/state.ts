/**
 * The local copy of one partition's state: a SQLite file that follows the partition's changelog and is never ahead of
 * it. The changelog is the truth; a file that is lost, damaged, out of date or of a deleted group is rebuilt. Changes
 * are buffered in memory: keys are hashes, so a write of a few changes touches as many pages. A second writer of the
 * file is noticed, because every write compares the mark in the file.
 */

import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'
import { isDamage, openDisposableFile, removeDisposableFile } from '../disposable-file.ts'
import type { StateChange, StateReader } from '../port.ts'
import { toLogError, withLogErrors } from '../sqlite-failures.ts'
import { inTransaction } from '../transaction.ts'

export interface AppliedPosition {
  /** The id of the changelog: another changelog of the same name has another id. */
  readonly incarnation: string
  /** The offset of the newest lease record applied. */
  readonly leaseOffset: number
  /** The changelog's next offset that is not applied. */
  readonly next: number
  readonly appliedAt: number
}

/** At one of these limits, the buffered changes are written. */
const maxWaiting = 16_384
const maxWaitingBytes = 8_000_000
const maxWaitingMs = 10_000
const schema = `create table state (key text primary key, value blob not null) without rowid;
  create table mark (
    one integer primary key check (one = 1), incarnation text, leaseOffset integer, next integer, appliedAt integer)`
const layout = 1

export class LocalState implements StateReader {
  readonly #file: string
  readonly #db: DatabaseSync
  readonly #waiting = new Map<string, Uint8Array | null>()
  #mark: AppliedPosition | null
  /** The mark in the file. */
  #written: AppliedPosition | null
  #writtenAt = Date.now()
  #waitingBytes = 0
  readonly #get
  readonly #getMany
  readonly #range
  readonly #put
  readonly #delete

  /** @throws LoomlogError `log-full`, `log-unavailable` */
  constructor(file: string, onRebuild: (message: string) => void) {
    this.#file = file
    const options = { dir: dirname(file), name: basename(file), schema, layout, onRebuild }
    this.#db = withLogErrors(file, () => openDisposableFile(options))
    this.#get = this.#db.prepare('select value from state where key = ?')
    this.#getMany = this.#db.prepare('select key, value from state where key in (select value from json_each(?))')
    this.#range = this.#db.prepare('select key, value from state where key >= ? order by key limit ?')
    this.#put = this.#db.prepare('insert or replace into state (key, value) values (?, ?)')
    this.#delete = this.#db.prepare('delete from state where key = ?')
    this.#written = this.#access(() => this.#markInFile())
    this.#mark = this.#written
  }

  get mark(): AppliedPosition | null {
    return this.#mark
  }

  get(key: string): Uint8Array | null {
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) return waiting
    return (this.#access(() => this.#get.get(key))?.value as Uint8Array | undefined) ?? null
  }

  getMany(keys: readonly string[]): ReadonlyMap<string, Uint8Array> {
    const found = new Map<string, Uint8Array>()
    const rows = this.#access(() => this.#getMany.all(JSON.stringify(keys)))
    for (const { key, value } of rows) found.set(key as string, value as Uint8Array)
    for (const key of keys) {
      const waiting = this.#waiting.get(key)
      if (waiting) found.set(key, waiting)
      else if (waiting === null) found.delete(key)
    }
    return found
  }

  range(prefix: string, limit: number): readonly (readonly [string, Uint8Array])[] {
    const unwritten = [...this.#waiting].filter(([key]) => key.startsWith(prefix))
    // Reads more rows: unwritten deletions may remove as many.
    const found = this.#access(() => this.#rangeInFile(prefix, limit + unwritten.length))
    if (unwritten.length === 0) return found
    const values = new Map<string, Uint8Array | null>([...found, ...unwritten])
    return [...values]
      .filter((entry): entry is [string, Uint8Array] => entry[1] !== null)
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .slice(0, limit)
  }

  some(prefix: string, limit: number): readonly (readonly [string, Uint8Array])[] {
    return this.range(prefix, limit)
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
  apply(changes: readonly StateChange[], to: AppliedPosition): void {
    for (const { key, value } of changes) {
      this.#waiting.set(key, value)
      this.#waitingBytes += value?.byteLength ?? 0
    }
    this.#mark = to
    const isMuch = this.#waiting.size >= maxWaiting || this.#waitingBytes >= maxWaitingBytes
    if (isMuch || Date.now() - this.#writtenAt >= maxWaitingMs) this.write()
  }

  /**
   * Writes the buffered changes.
   * @throws LoomlogError `fenced` if another owner has written the file or it is damaged
   */
  write(): void {
    if (this.#mark === this.#written) return
    // In the order of the file's pages.
    const changes = [...this.#waiting].sort(([a], [b]) => (a < b ? -1 : 1))
    const work = () => {
      if (this.#markInFile()?.next !== this.#written?.next) {
        throw new LoomlogError('fenced', 'the local copy of the state has another owner')
      }
      for (const [key, value] of changes) {
        if (value === null) this.#delete.run(key)
        else this.#put.run(key, value)
      }
      this.#writeMark()
    }
    this.#access(() => inTransaction(this.#db, work))
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
    this.#access(() => inTransaction(this.#db, () => this.#db.exec('delete from state; delete from mark')))
    this.#written = null
    this.#mark = null
  }

  /** Writes the buffered changes if it can. The changelog has them, so a failure needs no report. */
  close(): void {
    if (!this.#db.isOpen) return
    try {
      this.write()
    } catch {
      // The file has another owner by now, or the disk is full.
    }
    this.#db.close()
  }

  #markInFile(): AppliedPosition | null {
    const row = this.#db.prepare('select incarnation, leaseOffset, next, appliedAt from mark').get()
    return row ? (row as unknown as AppliedPosition) : null
  }

  #writeMark(): void {
    const { incarnation, leaseOffset, next, appliedAt } = this.#mark as AppliedPosition
    this.#db
      .prepare('insert or replace into mark values (1, ?, ?, ?, ?)')
      .run(incarnation, leaseOffset, next, appliedAt)
  }

  /**
   * Reads or writes the file. A damaged one is deleted, and the lease ends: its next owner, often this process again,
   * restores the copy from the changelog. @throws LoomlogError `fenced`, `log-full`, `log-unavailable`
   */
  #access<T>(work: () => T): T {
    if (!this.#db.isOpen) throw new LoomlogError('fenced', `${this.#file} is closed: its lease has ended`)
    try {
      return work()
    } catch (cause) {
      if (!isDamage(cause)) throw toLogError(this.#file, cause)
      this.#db.close()
      removeDisposableFile(dirname(this.#file), basename(this.#file))
      const message = `${this.#file} is damaged (${(cause as Error).message}): it is deleted, and restored from the changelog`
      throw new LoomlogError('fenced', message, { cause })
    }
  }
}
