/**
 * The connection of this process to the file `log.db`: durable commits (WAL, synchronous=full), statements prepared
 * once, and writes that take the write lock at once. All writes of one event-loop slice share one transaction, and so
 * one fsync; each of them still succeeds or fails alone.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { toLogError, withLogErrors } from '../sqlite-failures.ts'
import { openFile } from './open-file.ts'

interface Work {
  readonly run: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly work: Work; readonly result: unknown } | { readonly work: Work; readonly error: unknown }

const checkpointAttempts = 50
const checkpointPauseMs = 100

export class Database {
  readonly file: string
  readonly #db: DatabaseSync
  readonly #access: 'write' | 'read'
  readonly #statements = new Map<string, StatementSync>()
  /** Apart, because `setReturnArrays` holds for every use of a statement. */
  readonly #listStatements = new Map<string, StatementSync>()
  readonly #onCommit: (topics: ReadonlySet<number>) => void
  #touched = new Set<number>()
  #queue: Work[] = []

  constructor(options: {
    readonly dir: string
    readonly maxBytes: number | null
    readonly access?: 'write' | 'read'
    /** Called after every transaction, with the topics that it may have changed. */
    onCommit(topics: ReadonlySet<number>): void
  }) {
    const { db, file, access } = openFile(options)
    this.#db = db
    this.#access = access
    this.file = file
    this.#onCommit = (topics) => options.onCommit(topics)
  }

  one<Row>(sql: string, ...values: SQLInputValue[]): Row | null {
    return withLogErrors(this.file, () => (this.#prepare(sql).get(...values) ?? null) as Row | null)
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return withLogErrors(this.file, () => this.#prepare(sql).all(...values) as Row[])
  }

  /** Row by row, until `each` returns `enough`. A row is an array of its columns: objects take twice as long. */
  each<Row extends readonly unknown[]>(
    sql: string,
    values: readonly SQLInputValue[],
    each: (row: Row) => 'more' | 'enough',
  ): void {
    withLogErrors(this.file, () => {
      const statement = this.#prepare(sql, this.#listStatements)
      statement.setReturnArrays(true)
      for (const row of statement.iterate(...values)) if (each(row as unknown as Row) === 'enough') break
    })
  }

  /** Only inside `write`. Returns the number of rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  /** Only inside `write`: wakes the readers that wait for the topic. */
  touch(topic: number): void {
    this.#touched.add(topic)
  }

  /**
   * Runs `work` inside the next transaction; its changes are durable when the promise resolves.
   * @throws LoomlogError `log-read-only`
   */
  write<T>(work: () => T): Promise<T> {
    if (this.#access === 'read') {
      const message = `${this.file} can't be written: the file or its folder is read-only`
      return Promise.reject(new LoomlogError('log-read-only', message))
    }
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => this.#flush())
      this.#queue.push({ run: work, resolve: resolve as (result: unknown) => void, reject })
    })
  }

  /**
   * Writes the file once more, from its rows alone, and empties the write-ahead log: no deleted byte is left in either.
   * @throws LoomlogError `log-full`; `log-unavailable` where a reader of another process stays too long
   */
  async compact(): Promise<void> {
    this.#flush()
    withLogErrors(this.file, () => this.#db.exec('vacuum'))
    await this.truncateJournal()
  }

  /**
   * Moves everything into the file and empties the write-ahead log, so that bytes which were overwritten or deleted are
   * nowhere. Waits for readers of other processes. @throws LoomlogError `log-unavailable` where one stays too long
   */
  async truncateJournal(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const done = this.one<{ busy: number }>('pragma wal_checkpoint(truncate)')
      if (done?.busy === 0) return
      if (attempt === checkpointAttempts)
        throw new LoomlogError('log-unavailable', `${this.file}: a reader keeps the write-ahead log from being emptied`)
      await sleep(checkpointPauseMs)
    }
  }

  close(): void {
    this.#flush()
    if (this.#db.isOpen) this.#db.close()
  }

  #flush(): void {
    const queue = this.#queue
    if (queue.length === 0) return
    this.#queue = []
    try {
      const outcomes = withLogErrors(this.file, () => this.#transaction(queue))
      for (const outcome of outcomes) {
        if ('error' in outcome) outcome.work.reject(outcome.error)
        else outcome.work.resolve(outcome.result)
      }
    } catch (error) {
      for (const work of queue) work.reject(error)
    }
    const touched = this.#touched
    this.#touched = new Set()
    this.#onCommit(touched)
  }

  #transaction(queue: readonly Work[]): readonly Outcome[] {
    this.#prepare('begin immediate').run()
    try {
      const outcomes = queue.map((work) => this.#attempt(work))
      this.#prepare('commit').run()
      return outcomes
    } catch (error) {
      if (this.#db.isTransaction) this.#prepare('rollback').run()
      throw error
    }
  }

  #attempt(work: Work): Outcome {
    this.#prepare('savepoint work').run()
    try {
      const result = work.run()
      this.#prepare('release work').run()
      return { work, result }
    } catch (error) {
      // SQLite itself ends the transaction on some errors, a full disk among them: then none of the work is kept.
      if (!this.#db.isTransaction) throw error
      this.#prepare('rollback to work').run()
      this.#prepare('release work').run()
      return { work, error: toLogError(this.file, error) }
    }
  }

  #prepare(sql: string, statements = this.#statements): StatementSync {
    let statement = statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      statements.set(sql, statement)
    }
    return statement
  }
}
