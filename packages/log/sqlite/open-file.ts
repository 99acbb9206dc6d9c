/**
 * Opens `log.db` in a folder, and creates both where they are missing. The result is a log of this version that SQLite
 * can read. Anything else is refused with a code: a folder that cannot be used, a damaged file, a file of another
 * program.
 *
 * A file that this process may not write, or wants to read only, is opened for reading. Without a write-ahead log
 * beside it, it is opened as immutable, since SQLite would otherwise create files beside it; with one, SQLite reads the
 * two together.
 */
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LoomlogError } from '@loomlog/errors'
import { isBusy, withLogErrors } from '../sqlite-failures.ts'
import { checksum } from './checksum.ts'
import { DatabaseSync } from './node-sqlite.ts'
import { checkCatalogue, migrate, requireCurrent } from './schema.ts'

export interface OpenedFile {
  readonly db: DatabaseSync
  readonly file: string
  readonly access: 'write' | 'read'
}

const busyTimeoutMs = 5_000
/** A full check takes ten milliseconds up to this size. In larger files, damage shows when the damaged page is read. */
const checkedOnOpenBytes = 8_000_000
/** The write-ahead log shrinks to this size after a burst. */
const journalBytes = 64_000_000

/**
 * Half of the write-ahead log's limit. A checkpoint writes a page once, however often it was changed, so rare ones
 * write less.
 */
const checkpointPages = 8_000
/** Holds the changed pages of a large commit: a smaller cache writes many of them twice. */
const cacheKiB = 16_000
/**
 * Files made from a log, the copy of a restore included: a `log.db` that is missing or empty beside them is a lost log,
 * not a new one.
 */
const derivedFiles = ['log.db.incoming', 'views', 'completions-index.db']

export function openFile(options: {
  readonly dir: string
  readonly maxBytes: number | null
  readonly access?: 'write' | 'read'
}): OpenedFile {
  const file = join(options.dir, 'log.db')
  return withLogErrors(file, () => {
    if (options.access === 'read' || (existsSync(file) && !isWritable(file)))
      return { ...openToRead(file), access: 'read' }
    mkdirSync(options.dir, { recursive: true })
    return { ...openToWrite(file, options.maxBytes), access: 'write' }
  })
}

function openToWrite(file: string, maxBytes: number | null): Omit<OpenedFile, 'access'> {
  const bytes = checkHeader(file)
  return opened(file, new DatabaseSync(file, { timeout: busyTimeoutMs }), (db) => {
    configure(db, maxBytes)
    migrate(db, file)
    if (bytes > 0) check(db, file, bytes)
  })
}

function openToRead(file: string): Omit<OpenedFile, 'access'> {
  const bytes = checkHeader(file)
  const walBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (walBytes > 0 && !existsSync(`${file}-shm`)) {
    const why = 'it has a write-ahead log, which can only be read where files can be made beside it'
    throw new LoomlogError(
      'log-read-only',
      `${file} can't be read here: ${why}. Copy its folder to where it can be written`,
    )
  }
  const url = pathToFileURL(file)
  if (walBytes === 0 && !existsSync(`${file}-shm`)) url.searchParams.set('immutable', '1')
  return opened(file, new DatabaseSync(url, { readOnly: true, timeout: busyTimeoutMs }), (db) => {
    requireCurrent(db, file)
    check(db, file, bytes)
  })
}

function opened(file: string, db: DatabaseSync, prepare: (db: DatabaseSync) => void): Omit<OpenedFile, 'access'> {
  try {
    db.function('checksum', { deterministic: true, varargs: true }, checksum)
    prepare(db)
    return { db, file }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Whether the file can be written, and the folder too, since SQLite creates files beside it. */
function isWritable(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK)
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function configure(db: DatabaseSync, maxBytes: number | null): void {
  retryWhileBusy(() => db.exec('pragma journal_mode = wal'))
  db.exec(`pragma synchronous = full; pragma journal_size_limit = ${journalBytes}`)
  // Keys that are destroyed leave no bytes in free space. For all writes: a page that is split would leave copies.
  db.exec('pragma secure_delete = on')
  db.exec(`pragma wal_autocheckpoint = ${checkpointPages}; pragma cache_size = -${cacheKiB}`)
  if (maxBytes === null) return
  const pageBytes = Number(db.prepare('pragma page_size').get()?.page_size)
  db.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`)
}

/** The change to WAL mode fails at once, without the busy timeout, if two processes create the log at the same time. */
function retryWhileBusy(work: () => void): void {
  const deadline = Date.now() + busyTimeoutMs
  for (;;) {
    try {
      work()
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** SQLite looks at the header only when it first reads, and takes a file shorter than a page for an empty one. */
function checkHeader(file: string): number {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size
  if (bytes === undefined || bytes === 0) {
    const derived = derivedFiles.filter((name) => existsSync(join(dirname(file), name)))
    const state = bytes === 0 ? 'empty' : 'missing'
    const madeFrom = `${derived.join(' and ')} beside it were made from one (delete them to begin a new log)`
    if (derived.length > 0) throw corrupt(file, `it is ${state}, and ${madeFrom}`)
    return 0
  }
  const header = Buffer.alloc(16)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, header, 0, header.length, 0)
  } finally {
    closeSync(descriptor)
  }
  if (header.toString('latin1') !== 'SQLite format 3\0') throw corrupt(file, 'its header is not that of an SQLite file')
  return bytes
}

function check(db: DatabaseSync, file: string, bytes: number): void {
  if (bytes <= checkedOnOpenBytes) {
    const finding = String(db.prepare('pragma quick_check(1)').get()?.quick_check)
    if (finding !== 'ok') throw corrupt(file, finding)
  }
  checkCatalogue(db, file)
}

function corrupt(file: string, finding: string): LoomlogError {
  const advice = 'Restore it from a backup (loomlog restore)'
  return new LoomlogError('log-corrupt', `${file} is damaged or no loomlog log: ${finding}. ${advice}`)
}
