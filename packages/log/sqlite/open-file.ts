/**
 * Opens `log.db` in a folder, creating both where they are missing. What comes out is a log of this version that SQLite can
 * read; anything else is refused with a code: a folder that cannot be used, a damaged file, a file that is no log.
 */
import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'
import { guard, isBusy } from './failures.ts'
import { migrate } from './schema.ts'

const busyTimeoutMs = 5_000
/** Up to here a full check takes some ten milliseconds; beyond, damage shows when the damaged page is read. */
const checkedOnOpenBytes = 8_000_000
/** After a burst the write-ahead log gives its room back. */
const journalBytes = 64_000_000

/** Half of what the write-ahead log may hold: every page of it is written once more, however often it was changed. */
const checkpointPages = 8_000
/** Pages that a commit changes stay in memory until it ends: with less, a large one writes many of them twice. */
const cacheKiB = 16_000

export function openFile(options: { readonly dir: string; readonly maxBytes: number | null }): {
  readonly db: DatabaseSync
  readonly file: string
} {
  const file = join(options.dir, 'log.db')
  return guard(file, () => {
    mkdirSync(options.dir, { recursive: true })
    const bytes = checkHeader(file)
    const db = new DatabaseSync(file, { timeout: busyTimeoutMs })
    try {
      configure(db, options.maxBytes)
      migrate(db, file)
      if (bytes > 0 && bytes <= checkedOnOpenBytes) check(db, file)
      return { db, file }
    } catch (error) {
      db.close()
      throw error
    }
  })
}

function configure(db: DatabaseSync, maxBytes: number | null): void {
  patiently(() => db.exec('pragma journal_mode = wal'))
  db.exec(`pragma synchronous = full; pragma journal_size_limit = ${journalBytes}`)
  db.exec(`pragma wal_autocheckpoint = ${checkpointPages}; pragma cache_size = -${cacheKiB}`)
  if (maxBytes === null) return
  const pageBytes = Number(db.prepare('pragma page_size').get()?.page_size)
  db.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`)
}

/** Becoming a WAL file does not wait for the busy timeout when two processes create the log at once. */
function patiently(work: () => void): void {
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
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0) return 0
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

function check(db: DatabaseSync, file: string): void {
  const finding = String(db.prepare('pragma quick_check(1)').get()?.quick_check)
  if (finding !== 'ok') throw corrupt(file, finding)
}

function corrupt(file: string, finding: string): LoomlogError {
  return new LoomlogError('log-corrupt', `${file} is damaged or no loomlog log: ${finding}`)
}
