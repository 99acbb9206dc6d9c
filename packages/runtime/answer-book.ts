/**
 * The recorded answers, found by key: a local index over the topic `completions`, kept in one SQLite file that may be deleted at
 * any time (it is read again from the log) and that the processes of one machine share. It is filled in log order and never
 * overwritten, which makes the lowest offset win; an answer is used only once the index has read it back from the log.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { type Log, type LogRecord, maxRecordBytes } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import type { AnswerBook } from './answers.ts'
import { Follower } from './follower.ts'
import { Recorder } from './recorder.ts'

const topic = 'completions'

const schema = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  create table if not exists recorded (key text primary key, partition integer not null, value blob not null) without rowid;
  create table if not exists followed (partition integer primary key, next integer not null);
`

export class CompletionIndex implements AnswerBook {
  readonly #log: Log
  readonly #codec: Codec
  readonly #db: DatabaseSync
  readonly #find: StatementSync
  readonly #recorder: Recorder
  readonly #closing = new AbortController()
  readonly #followers = new Map<number, Follower>()

  constructor(options: { readonly log: Log; readonly codec: Codec; readonly dir: string }) {
    this.#log = options.log
    this.#codec = options.codec
    this.#recorder = new Recorder(options.log, topic)
    mkdirSync(options.dir, { recursive: true })
    this.#db = new DatabaseSync(join(options.dir, 'completions-index.db'), { timeout: 5_000 })
    this.#db.exec(schema)
    this.#find = this.#db.prepare('select value from recorded where key = ?')
  }

  /** Follows a partition from where the index stands; returns when it has read to the end it found. */
  async follow(partition: number): Promise<void> {
    const end = (await this.#log.endOffsets(topic))[partition] ?? 0
    if (!this.#closing.signal.aborted && !this.#followers.has(partition)) this.#forgetAnotherLog(partition, end)
    await this.#follower(partition).reached(end)
  }

  async lookup(key: string): Promise<AnswerRecorded | null> {
    const row = this.#find.get(key)
    return row ? ((await this.#codec.decode(row.value as Uint8Array)) as AnswerRecorded) : null
  }

  /** Durable, and the one that counts, on return. */
  async record(space: string, answer: AnswerRecorded): Promise<AnswerRecorded> {
    const value = this.#encode(answer)
    const { partition, offset } = await this.#recorder.append({ key: space, value, timestamp: Date.now() })
    await this.#follower(partition).reached(offset + 1)
    const recorded = await this.lookup(answer.key)
    if (recorded === null) throw new Error(`${answer.key} is in ${topic}, and not in the index over it`)
    return recorded
  }

  async close(): Promise<void> {
    await this.#recorder.close()
    this.#closing.abort()
    await Promise.all([...this.#followers.values()].map((follower) => follower.ended))
    if (this.#db.isOpen) this.#db.close()
  }

  /** An answer that no record can hold will not get smaller by asking again. */
  #encode(answer: AnswerRecorded): Uint8Array {
    const value = this.#codec.encode(answer)
    if (value.byteLength <= maxRecordBytes) return value
    const none = `the answer has ${value.byteLength} bytes; a record holds ${maxRecordBytes}`
    return this.#codec.encode({ ...answer, answer: null, vector: null, none })
  }

  /** One that failed is replaced by the next who asks. */
  #follower(partition: number): Follower {
    if (this.#closing.signal.aborted) throw new LoomlogError('log-unavailable', 'the index over completions is closed')
    const known = this.#followers.get(partition)
    if (known) return known
    const follower = new Follower({
      log: this.#log,
      topic,
      partition,
      from: this.#next(partition),
      signal: this.#closing.signal,
      keep: (records) => this.#keep(partition, records),
    })
    this.#followers.set(partition, follower)
    void follower.ended.then(() => this.#followers.delete(partition))
    return follower
  }

  #next(partition: number): number {
    return Number(this.#db.prepare('select next from followed where partition = ?').get(partition)?.next ?? 0)
  }

  /** An index that is ahead of the log was made of another one: the log was restored or replaced. */
  #forgetAnotherLog(partition: number, end: number): void {
    if (this.#next(partition) <= end) return
    this.#transaction(() => {
      this.#db.prepare('delete from recorded where partition = ?').run(partition)
      this.#db.prepare('delete from followed where partition = ?').run(partition)
    })
  }

  async #keep(partition: number, records: readonly LogRecord[]): Promise<void> {
    const answers: (readonly [key: string, value: Uint8Array])[] = []
    for (const { value } of records) {
      const key = await this.#keyOf(value)
      if (key !== null) answers.push([key, value])
    }
    const next = (records.at(-1)?.offset ?? -1) + 1
    this.#transaction(() => {
      const insert = this.#db.prepare('insert into recorded values (?, ?, ?) on conflict do nothing')
      for (const [key, value] of answers) insert.run(key, partition, value)
      this.#db
        .prepare('insert into followed values (?, ?) on conflict do update set next = max(next, excluded.next)')
        .run(partition, next)
    })
  }

  /** Null for what is no answer: nobody can use it, and it must not keep the others from being used. */
  async #keyOf(value: Uint8Array): Promise<string | null> {
    try {
      const event = await this.#codec.decode(value)
      return event.type === 'AnswerRecorded' ? event.key : null
    } catch (error) {
      if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return null
      throw error
    }
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
