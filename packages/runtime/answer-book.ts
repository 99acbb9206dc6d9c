/**
 * The recorded answers, found by key: a local index over the topic `completions`, kept in one SQLite file that may be deleted at
 * any time (it is read again from the log) and that the processes of one machine share. It is filled in log order and never
 * overwritten, which makes the lowest offset win; an answer is used only once the index has read it back from the log.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import type { Log, LogRecord, NewRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import type { AnswerBook } from './answers.ts'

const topic = 'completions'

interface Waiting {
  readonly record: NewRecord
  readonly key: string
  readonly resolve: (recorded: AnswerRecorded) => void
  readonly reject: (error: unknown) => void
}

export class CompletionIndex implements AnswerBook {
  readonly #log: Log
  readonly #codec: Codec
  readonly #db: DatabaseSync
  readonly #find: StatementSync
  readonly #closing = new AbortController()
  readonly #followers = new Map<number, Promise<void>>()
  readonly #positions = new Map<number, number>()
  #reached: (() => void)[] = []
  #waiting: Waiting[] = []
  #appending = false
  #failure: unknown = null

  constructor(options: { readonly log: Log; readonly codec: Codec; readonly dir: string }) {
    this.#log = options.log
    this.#codec = options.codec
    mkdirSync(options.dir, { recursive: true })
    this.#db = new DatabaseSync(join(options.dir, 'completions-index.db'), { timeout: 5_000 })
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = normal')
    this.#db.exec('create table if not exists answers (key text primary key, value blob not null) without rowid')
    this.#db.exec('create table if not exists positions (partition integer primary key, next integer not null)')
    this.#find = this.#db.prepare('select value from answers where key = ?')
  }

  /** Follows a partition from where the index stands; returns when it has read to the end it found. */
  async follow(partition: number): Promise<void> {
    if (!this.#followers.has(partition)) {
      const row = this.#db.prepare('select next from positions where partition = ?').get(partition)
      this.#positions.set(partition, Number(row?.next ?? 0))
      this.#followers.set(
        partition,
        this.#readOn(partition).catch((error: unknown) => this.#fail(error)),
      )
    }
    const ends = await this.#log.endOffsets(topic)
    await this.#reach(partition, ends[partition] ?? 0)
  }

  async lookup(key: string): Promise<AnswerRecorded | null> {
    const row = this.#find.get(key)
    return row ? ((await this.#codec.decode(row.value as Uint8Array)) as AnswerRecorded) : null
  }

  /** Durable, and the one that counts, on return. Answers that come while an append is under way go together in the next. */
  record(space: string, answer: AnswerRecorded): Promise<AnswerRecorded> {
    const record = { key: space, value: this.#codec.encode(answer), timestamp: Date.now() }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, key: answer.key, resolve, reject })
      void this.#append()
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#followers.values())
    this.#fail(new LoomlogError('log-unavailable', 'the completions index is closed'))
    this.#db.close()
  }

  async #append(): Promise<void> {
    if (this.#appending) return
    this.#appending = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        crashPoint('answer.before-record')
        const positions = await this.#log.append(
          topic,
          batch.map((waiting) => waiting.record),
        )
        crashPoint('answer.after-record')
        await Promise.all(positions.map(({ partition, offset }) => this.#reach(partition, offset + 1)))
        for (const waiting of batch) waiting.resolve((await this.lookup(waiting.key)) as AnswerRecorded)
      } catch (error) {
        for (const waiting of batch) waiting.reject(error)
      }
    }
    this.#appending = false
  }

  async #readOn(partition: number): Promise<void> {
    const from = new Map([[partition, this.#positions.get(partition) ?? 0]])
    const reading = { topic, partitions: [partition], from, until: 'follow', signal: this.#closing.signal } as const
    for await (const records of this.#log.read(reading)) await this.#keep(partition, records)
  }

  async #keep(partition: number, records: readonly LogRecord[]): Promise<void> {
    const answers: [key: string, value: Uint8Array][] = []
    for (const { value } of records) answers.push([((await this.#codec.decode(value)) as AnswerRecorded).key, value])
    const next = (records.at(-1)?.offset ?? -1) + 1
    this.#db.exec('begin immediate')
    const insert = this.#db.prepare('insert into answers (key, value) values (?, ?) on conflict do nothing')
    for (const [key, value] of answers) insert.run(key, value)
    this.#db
      .prepare('insert into positions values (?, ?) on conflict do update set next = max(next, excluded.next)')
      .run(partition, next)
    this.#db.exec('commit')
    this.#positions.set(partition, next)
    for (const wake of this.#reached.splice(0)) wake()
  }

  async #reach(partition: number, offset: number): Promise<void> {
    while ((this.#positions.get(partition) ?? 0) < offset) {
      if (this.#failure !== null) throw this.#failure
      await new Promise<void>((resolve) => this.#reached.push(resolve))
    }
  }

  #fail(error: unknown): void {
    this.#failure = error
    for (const wake of this.#reached.splice(0)) wake()
  }
}
