/**
 * The file behind the index of recorded answers: values by key, and by partition of `completions` a checkpoint of the records read. A row
 * with another checksum is damage, which the index answers by reading the log again.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { Checkpoint } from '@loomlog/log/checkpoint'
import { DamagedFile, openDisposableFile, removeDisposableFile } from '@loomlog/log/disposable-file'

export interface CompletionsFileOptions {
  /** Holds the file; null: in memory. */
  readonly dir: string | null
  /** Reports that the file is made again, and why. */
  onRemade(message: string): void
}

type RecordedValue = readonly [key: string, value: Uint8Array]

export const fileName = 'completions-index.db'
const layout = 2
const schema = `
  create table recorded (key text primary key, partition integer not null, value blob not null, checksum integer not null) without rowid;
  create table checkpoints (partition integer primary key, log text not null, next integer not null, last integer, digest text)
`

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
  find(key: string): Uint8Array | null {
    const row = this.#find.get(key)
    if (row === undefined) return null
    const value = row.value as Uint8Array
    if (row.checksum !== checksumOf(key, value)) throw new DamagedFile(`the row ${key} does not match its checksum`)
    return value
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

  /** In one transaction. The first value of a key stays, and so does the later checkpoint. */
  keep(partition: number, recorded: readonly RecordedValue[], { log, offset, last }: Checkpoint): void {
    this.#transaction(() => {
      const insert = this.#db.prepare('insert into recorded values (?, ?, ?, ?) on conflict do nothing')
      for (const [key, value] of recorded) insert.run(key, partition, value, checksumOf(key, value))
      const { offset: lastOffset = null, digest = null } = last ?? {}
      this.#db
        .prepare(
          `insert into checkpoints values (?, ?, ?, ?, ?) on conflict do update
           set log = excluded.log, next = excluded.next, last = excluded.last, digest = excluded.digest where excluded.next > next`,
        )
        .run(partition, log, offset, lastOffset, digest)
    })
  }

  /** Removes a partition's rows, unless another process has replaced the checkpoint meanwhile. */
  forget(partition: number, { log, offset }: Checkpoint): void {
    this.#transaction(() => {
      const forget = this.#db.prepare('delete from checkpoints where partition = ? and log = ? and next = ?')
      if (forget.run(partition, log, offset).changes === 0) return
      this.#db.prepare('delete from recorded where partition = ?').run(partition)
    })
  }

  /** Deletes a damaged file and begins an empty one. */
  makeAgain(why: string): void {
    this.close()
    const { dir, onRemade } = this.#options
    onRemade(`${fileName} is damaged (${why}): it is deleted and made again`)
    if (dir !== null) removeDisposableFile(dir, fileName)
    this.#db = this.#open()
    this.#find = this.#prepareFind()
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #open(): DatabaseSync {
    return openDisposableFile({ ...this.#options, name: fileName, schema, layout })
  }

  #prepareFind(): StatementSync {
    return this.#db.prepare('select value, checksum from recorded where key = ?')
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

function checksumOf(key: string, value: Uint8Array): number {
  return crc32(value, crc32(key))
}
