/**
 * SQLite files beside the log that can be rebuilt from it: indexes and caches. A file that is damaged or not SQLite's
 * is deleted; tables of another layout are dropped. The owner fills the tables again as it needs their contents. Where
 * no file can be written, the tables are in memory. Any number of processes of one machine share a file.
 */
import { accessSync, constants, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Sealer } from './port.ts'
import { DatabaseSync } from './sqlite/node-sqlite.ts'
import { inTransaction } from './transaction.ts'

export interface DisposableFileOptions {
  /** Null: in memory. */
  readonly dir: string | null
  /** Such as `completions-index.db`. */
  readonly name: string
  /** Creates the tables. */
  readonly schema: string
  /** Raised with every change of the schema. */
  readonly layout: number
  /** Reports a file that is rebuilt, and why. */
  onRebuild(message: string): void
}

const encryptedLayouts = 1_000
const busyTimeoutMs = 5_000
const corrupt = 11
const notADatabase = 26
/** A full check takes ten milliseconds up to this size. In larger files, damage shows when the damaged page is read. */
const checkedOnOpenBytes = 8_000_000

export function openDisposableFile(options: DisposableFileOptions): DatabaseSync {
  const { dir, name } = options
  if (dir === null || !isWritable(dir, name)) return withTables(new DatabaseSync(':memory:'), options)
  const file = join(dir, name)
  try {
    return opened(file, options)
  } catch (error) {
    if (!isDamage(error) && !isFolder(file)) throw error
    options.onRebuild(`${file} is damaged (${(error as Error).message}): it is deleted and rebuilt`)
    removeDisposableFile(dir, name)
    return opened(file, options)
  }
}

export function removeDisposableFile(dir: string, name: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(join(dir, `${name}${part}`), { recursive: true, force: true })
}

/** After the deletion of rows that are forgotten: the write-ahead log loses its copies of their pages. */
export function eraseDeleted(db: DatabaseSync): void {
  db.exec('pragma wal_checkpoint(truncate)')
}

/** The layout of a file of an encrypted log, so that one that was made without encryption is emptied. */
export function layoutOf(plain: number, sealing: Sealer | null): number {
  return sealing === null ? plain : plain + encryptedLayouts
}

/** Whether SQLite, or a checksum of the file's owner, found the file damaged. Any read or write may. */
export function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  return error instanceof DamagedFile || code === corrupt || code === notADatabase
}

/** Whether SQLite failed: a full disk, a file that another process holds locked, or damage. */
export function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && 'errcode' in error
}

/** Thrown by the file's owner if a checksum of its own doesn't match. */
export class DamagedFile extends Error {}

function opened(file: string, options: DisposableFileOptions): DatabaseSync {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const db = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    // The contents can be rebuilt, so a power failure may take the last commits.
    // Deleted rows are overwritten with zeros: they may be forgotten ones.
    db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma secure_delete = on')
    withTables(db, options)
    if (bytes > 0 && bytes <= checkedOnOpenBytes) check(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function withTables(db: DatabaseSync, { schema, layout }: DisposableFileOptions): DatabaseSync {
  inTransaction(db, () => {
    const found = Number(db.prepare('pragma user_version').get()?.user_version)
    if (found === layout) return
    const tables = db.prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`).all()
    for (const { name } of tables) db.exec(`drop table "${name}"`)
    db.exec(`${schema}; pragma user_version = ${layout}`)
  })
  return db
}

function check(db: DatabaseSync): void {
  const finding = String(db.prepare('pragma quick_check(1)').get()?.quick_check)
  if (finding !== 'ok') throw new DamagedFile(finding)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isWritable(dir: string, name: string): boolean {
  const file = join(dir, name)
  try {
    mkdirSync(dir, { recursive: true })
    accessSync(dir, constants.W_OK)
    if (statSync(file, { throwIfNoEntry: false })) accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}
