/**
 * Backup and restore of the embedded log. A backup is one file, `log.db`, taken in one read transaction while other
 * processes write: it holds every commit from before and none from after. Both directions check the copy: every record
 * is read, with its checksum.
 *
 * A restore needs the folder for itself, and keeps the log that was there under another name. Views and indexes are not
 * part of a backup: their checkpoints show that the log was replaced, and they are rebuilt.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { isBusy, toLogError } from '../sqlite-failures.ts'
import { unreadableReason } from '../unreadable-value.ts'
import { openSqliteLog } from './adapter.ts'
import { backup, DatabaseSync } from './node-sqlite.ts'
import { openFile } from './open-file.ts'
import { damagedStateRows } from './schema.ts'

export interface LogCheck {
  readonly topics: number
  readonly records: number
  readonly bytes: number
  /** One sentence for each damaged or missing record. */
  readonly damage: readonly string[]
}

const name = 'log.db'
/** All pages in one step: a step that ends early begins again after every commit of another process. */
const allPages = 2 ** 31 - 1

/** Copies the log in `dir` to a folder without a log. @throws LoomlogError `not-found`, `config-invalid` */
export async function backupLog(dir: string, into: string): Promise<LogCheck> {
  const [source, target] = [join(dir, name), join(into, name)]
  if (!existsSync(source)) throw new LoomlogError('not-found', `there is no log in ${dir}`)
  if (existsSync(target)) throw new LoomlogError('config-invalid', `${target} exists: give a folder without a log`)
  await copied(dir, target)
  return await checkLog(into)
}

/**
 * Replaces the log in `dir` with the backup in `from`. `former` is the path of the former log; null: there was none.
 * @throws LoomlogError `not-found`, `log-corrupt` where the backup is damaged, `group-in-use` where a process has the
 * log open
 */
export async function restoreLog(from: string, dir: string): Promise<LogCheck & { readonly former: string | null }> {
  const [source, target] = [join(from, name), join(dir, name)]
  if (!existsSync(source)) throw new LoomlogError('not-found', `there is no backup in ${from}: expected ${source}`)
  const check = await checkLog(from)
  const [first] = check.damage
  if (first !== undefined) {
    const message = `the backup in ${from} has ${check.damage.length} damaged records, the first: ${first}. Nothing was changed`
    throw new LoomlogError('log-corrupt', message)
  }
  mkdirSync(dir, { recursive: true })
  const incoming = `${target}.incoming`
  rmSync(incoming, { force: true })
  await copied(from, incoming)
  const former = existsSync(target) ? setAside(target) : null
  renameSync(incoming, target)
  fsyncPath(dir)
  return { ...check, former }
}

/** Reads every record of the log in a folder, and compares every checksum. */
async function checkLog(dir: string): Promise<LogCheck> {
  const log = openSqliteLog({ dir })
  const damage: string[] = []
  let records = 0
  try {
    const topics = await log.topics()
    for (const { name: topic } of topics) {
      for await (const batch of log.read({ topic, until: 'end' })) {
        records += batch.length
        for (const { value } of batch) {
          const reason = unreadableReason(value)
          if (reason !== null) damage.push(reason)
        }
      }
    }
    damage.push(...stateDamage(dir))
    return { topics: topics.length, records, bytes: statSync(join(dir, name)).size, damage }
  } finally {
    await log.close()
  }
}

function stateDamage(dir: string): readonly string[] {
  const { db } = openFile({ dir, maxBytes: null })
  try {
    return damagedStateRows(db)
  } finally {
    db.close()
  }
}

async function copied(dir: string, target: string): Promise<void> {
  const partial = `${target}.partial`
  const { db, file } = openFile({ dir, maxBytes: null })
  try {
    mkdirSync(dirname(target), { recursive: true })
    rmSync(partial, { force: true })
    await backup(db, partial, { rate: allPages })
  } catch (error) {
    throw toLogError(file, error)
  } finally {
    db.close()
  }
  fsyncPath(partial)
  renameSync(partial, target)
}

/**
 * Renames a log. An open log must stay in its place: SQLite leaves WAL mode only if no other connection is open, so the
 * change of the mode shows whether a process has the log open.
 */
function setAside(file: string): string {
  try {
    const db = new DatabaseSync(file, { timeout: 0 })
    try {
      db.exec('pragma journal_mode = delete')
    } finally {
      db.close()
    }
  } catch (error) {
    if (isBusy(error))
      throw new LoomlogError('group-in-use', `${file} is open in another process: stop loomlog, and restore again`)
    // A damaged log is replaced too, together with its write-ahead log.
  }
  const former = freeName(file)
  for (const part of ['', '-wal', '-shm']) if (existsSync(file + part)) renameSync(file + part, former + part)
  return former
}

function freeName(file: string): string {
  for (let n = 1; ; n += 1) if (!existsSync(`${file}.former-${n}`)) return `${file}.former-${n}`
}

function fsyncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
