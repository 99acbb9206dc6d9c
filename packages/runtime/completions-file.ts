/**
 * The file behind the index of recorded answers: values by key, and by partition of `completions` a checkpoint of the
 * records read. A row that does not match its checksum is damage; the index then reads the log again. Beside an
 * encrypted log, values are sealed, and a keyed hash stands for a key: that of an embedding is a hash of its text.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { Checkpoint } from '@loomlog/log/checkpoint'
import {
  DamagedFile,
  eraseDeleted,
  layoutOf,
  openDisposableFile,
  removeDisposableFile,
} from '@loomlog/log/disposable-file'
import type { Sealer } from '@loomlog/log/port'
import { inTransaction } from '@loomlog/log/transaction'
import { spaceKey } from '@loomlog/schemas/ids'

export interface CompletionsFileOptions {
  /** Holds the file; null: in memory. */
  readonly dir: string | null
  /** Null: the log is not encrypted. */
  readonly sealing: Sealer | null
  /** Reports that the file is rebuilt, and why. */
  onRebuild(message: string): void
}

/** An answer with the account that it belongs to. */
export interface RecordedValue {
  readonly key: string
  readonly value: Uint8Array
  /** Of its record in the log. */
  readonly offset: number
  readonly account: Account
  readonly cost: Cost
}

/** A value as the file has it: sealed beside an encrypted log. */
export interface StoredValue {
  readonly storedKey: string
  readonly space: string
  readonly value: Uint8Array
}

export interface Account {
  readonly tenant: string
  readonly space: string
  /** '' in answers of earlier versions. */
  readonly stage: string
  readonly task: string
  /** The hash of the prompt; '' for embeddings, and in answers of earlier versions. */
  readonly prompt: string
  readonly model: string
}

export interface Cost {
  /** Requests that were sent to an endpoint, those that failed and repairs included. */
  readonly calls: number
  /** Times that the model was asked again because its answer was invalid, or because the step refused parts of it. */
  readonly repairs: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export type Usage = Account & Cost & { readonly asks: number }

/** The sum of all answers of one model. */
export type ModelUsage = Pick<Usage, 'model' | 'asks' | keyof Cost>

/** The sum of one stage, prompt and model on a day. */
export type DayUsage = Omit<Usage, 'tenant' | 'space' | 'task'> & {
  /** Days since 1970, UTC. */
  readonly day: number
}

const dayMs = 86_400_000

export const completionsFileName = 'completions-index.db'
export const completionsFileLayout = 6
const schema = `
  create table recorded (
    key text primary key, partition integer not null, space text not null, "offset" integer not null, value blob not null,
    checksum integer not null) without rowid;
  create index recorded_by_space on recorded (space);
  create table checkpoints (partition integer primary key, log text not null, next integer not null, last integer, digest text);
  create table usage (
    partition integer not null, day integer not null, tenant text not null, space text not null, stage text not null, task text not null,
    prompt text not null, model text not null, asks integer not null, calls integer not null, repairs integer not null, input integer not null, output integer not null,
    primary key (partition, day, tenant, space, stage, task, prompt, model)
  ) without rowid;
  create index usage_of_tenant on usage (tenant, day);
  create index usage_by_day on usage (day)
`

const sums =
  'sum(asks) as asks, sum(calls) as calls, sum(repairs) as repairs, sum(input) as inputTokens, sum(output) as outputTokens'

/** The queries of usage. SQLite runs on the event loop, so those that a request can cause use an index. */
export const usageQueries = {
  accounts: (where: string) =>
    `select tenant, space, stage, task, prompt, model, ${sums} from usage ${where}
     group by tenant, space, stage, task, prompt, model order by sum(input) + sum(output) desc, sum(asks) desc limit ?`,
  byDay: (where: string) =>
    `select day, stage, prompt, model, ${sums} from usage ${where} group by day, stage, prompt, model order by day desc limit ?`,
  byModel: (where: string) => `select model, ${sums} from usage ${where} group by model`,
  ofTenant: 'where tenant = ? and day >= ?',
  ofAll: 'where day >= ?',
}

export class CompletionsFile {
  readonly #options: CompletionsFileOptions
  #db: DatabaseSync
  #find: StatementSync

  constructor(options: CompletionsFileOptions) {
    this.#options = options
    this.#db = this.#open()
    this.#find = this.#prepareFind()
  }

  /** @throws DamagedFile, or SQLite's own error of a damaged file */
  find(key: string): StoredValue | null {
    const storedKey = this.#keyOf(key)
    const row = this.#find.get(storedKey)
    if (row === undefined) return null
    const value = row.value as Uint8Array
    if (row.checksum === checksumOf(storedKey, value)) return { storedKey, space: String(row.space), value }
    throw new DamagedFile(`the row ${storedKey} does not match its checksum`)
  }

  #keyOf(key: string): string {
    return this.#options.sealing?.name(key) ?? key
  }

  /** Null: the value can be opened. Otherwise it reads the keys of other processes first. */
  refreshFor({ value }: StoredValue): Promise<void> | null {
    return this.#options.sealing?.refreshFor(value) ?? null
  }

  /** Null: its key was destroyed, so it leaves the file. */
  open({ storedKey, space, value }: StoredValue): Uint8Array | null {
    const { sealing } = this.#options
    if (sealing === null) return value
    const opened = sealing.open(space, value)
    if (opened === null) this.#db.prepare('delete from recorded where key = ?').run(storedKey)
    return opened
  }

  /** How far a partition has been read; null: not at all. */
  checkpoint(partition: number): Checkpoint | null {
    const row = this.#db.prepare('select log, next, last, digest from checkpoints where partition = ?').get(partition)
    if (row === undefined) return null
    const last = row.last === null ? null : { offset: Number(row.last), digest: String(row.digest) }
    if (last !== null && last.offset + 1 !== row.next)
      throw new DamagedFile(`the checkpoint of partition ${partition} is wrong`)
    return { log: String(row.log), offset: Number(row.next), last }
  }

  /**
   * In one transaction. The first value of a key stays, and is counted once; the later checkpoint stays too.
   * @param recorded with the log time of each, in ms
   */
  keep(
    partition: number,
    recorded: readonly (RecordedValue & { readonly at: number })[],
    { log, offset, last }: Checkpoint,
  ): void {
    const { sealing } = this.#options
    inTransaction(this.#db, () => {
      const insert = this.#db.prepare('insert into recorded values (?, ?, ?, ?, ?, ?) on conflict do nothing')
      const renew = this.#db.prepare(`insert into recorded values (?, ?, ?, ?, ?, ?) on conflict do update
        set "offset" = excluded."offset", value = excluded.value, checksum = excluded.checksum
        where partition = excluded.partition and "offset" < excluded."offset"`)
      const count =
        this.#db.prepare(`insert into usage values (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?) on conflict do update
        set asks = asks + 1, calls = calls + excluded.calls, repairs = repairs + excluded.repairs, input = input + excluded.input, output = output + excluded.output`)
      for (const { key: plainKey, value: plain, offset, at, account, cost } of recorded) {
        const { tenant, space, stage, task, prompt, model } = account
        const key = this.#keyOf(plainKey)
        const owner = spaceKey(tenant, space)
        const value = sealing?.seal(owner, plain) ?? plain
        if (insert.run(key, partition, owner, offset, value, checksumOf(key, value)).changes === 0) {
          // Recorded again after a forgetting, which destroys the first record and its key: the same answer counts.
          const found = this.find(plainKey)
          const first = (found && this.open(found)) ?? plain
          const renewed = sealing?.seal(owner, first) ?? first
          renew.run(key, partition, owner, offset, renewed, checksumOf(key, renewed))
          continue
        }
        const { calls, repairs, inputTokens, outputTokens } = cost
        const day = Math.floor(at / dayMs)
        count.run(partition, day, tenant, space, stage, task, prompt, model, calls, repairs, inputTokens, outputTokens)
      }
      const { offset: lastOffset = null, digest = null } = last ?? {}
      this.#db
        .prepare(
          `insert into checkpoints values (?, ?, ?, ?, ?) on conflict do update
           set log = excluded.log, next = excluded.next, last = excluded.last, digest = excluded.digest where excluded.next > next`,
        )
        .run(partition, log, offset, lastOffset, digest)
    })
  }

  /** The accounts with the most tokens. @param tenant null: all tenants */
  usage(tenant: string | null, limit: number): readonly Usage[] {
    const [where, values] = usageOf(tenant, 0)
    return this.#db.prepare(usageQueries.accounts(where)).all(...values, limit) as unknown as readonly Usage[]
  }

  /** @param since the first day that counts, in ms; 0: from the beginning */
  usageByModel(tenant: string | null, since: number): readonly ModelUsage[] {
    const [where, values] = usageOf(tenant, since)
    return this.#db.prepare(usageQueries.byModel(where)).all(...values) as unknown as readonly ModelUsage[]
  }

  /** The newest days first. @param since the first day that counts, in ms */
  usageByDay(tenant: string | null, since: number, limit: number): readonly DayUsage[] {
    const [where, values] = usageOf(tenant, since)
    return this.#db.prepare(usageQueries.byDay(where)).all(...values, limit) as unknown as readonly DayUsage[]
  }

  /** Removes all rows if any are of another log, whose partitions may be others. Returns the identity of that log. */
  clearOther(log: string): string | null {
    const other = this.#db.prepare('select log from checkpoints where log <> ? limit 1')
    const found = other.get(log)
    if (found === undefined) return null
    inTransaction(this.#db, () => {
      // Another process may have cleared the file meanwhile, and filled it again.
      if (other.get(log) !== undefined)
        this.#db.exec('delete from recorded; delete from usage; delete from checkpoints')
    })
    return String(found.log)
  }

  /** Removes a partition's rows, unless another process has replaced the checkpoint meanwhile. */
  forget(partition: number, { log, offset }: Checkpoint): void {
    inTransaction(this.#db, () => {
      const forget = this.#db.prepare('delete from checkpoints where partition = ? and log = ? and next = ?')
      if (forget.run(partition, log, offset).changes === 0) return
      this.#db.prepare('delete from recorded where partition = ?').run(partition)
      this.#db.prepare('delete from usage where partition = ?').run(partition)
    })
  }

  /** Erases a space's answers (`tenant/space`) of these records of its partition. Usage stays. */
  forgetAnswers(space: string, offsets: readonly number[]): void {
    inTransaction(this.#db, () => {
      const forget = this.#db.prepare('delete from recorded where space = ? and "offset" = ?')
      for (const offset of offsets) forget.run(space, offset)
    })
    eraseDeleted(this.#db)
  }

  /** Deletes a damaged file and begins an empty one. */
  rebuild(why: string): void {
    this.close()
    const { dir, onRebuild } = this.#options
    onRebuild(`${completionsFileName} is damaged (${why}): it is deleted and rebuilt`)
    if (dir !== null) removeDisposableFile(dir, completionsFileName)
    this.#db = this.#open()
    this.#find = this.#prepareFind()
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #open(): DatabaseSync {
    const layout = layoutOf(completionsFileLayout, this.#options.sealing)
    return openDisposableFile({ ...this.#options, name: completionsFileName, schema, layout })
  }

  #prepareFind(): StatementSync {
    return this.#db.prepare('select space, value, checksum from recorded where key = ?')
  }
}

function usageOf(tenant: string | null, since: number): readonly [where: string, values: readonly (string | number)[]] {
  const day = Math.floor(since / dayMs)
  return tenant === null ? [usageQueries.ofAll, [day]] : [usageQueries.ofTenant, [tenant, day]]
}

function checksumOf(key: string, value: Uint8Array): number {
  return crc32(value, crc32(key))
}
