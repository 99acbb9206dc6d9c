/**
 * Vectors that were computed for views, kept in one SQLite file that may be deleted at any time: what is missing is embedded
 * again. So a view that is made anew, in this derivation or in another one, embeds only texts that are new. Any number of
 * processes share the file.
 *
 * A vector is found by vector space, memory space and the hash of its text; no text is kept. It belongs to its memory space
 * alone, so that a space's vectors can be destroyed with it. Of a text that is kept twice, the first vector stays.
 */
import { hash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LoomlogError } from '@loomlog/errors'

const busyTimeoutMs = 5_000
/** What makes room when the file is full: this share of its vectors, the oldest. */
const roomShare = 10

const schema = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  create table if not exists vectors (
    id integer primary key autoincrement, vector_space text not null, space text not null, text_hash blob not null, vector blob not null);
  create unique index if not exists vectors_by_text on vectors (text_hash, space, vector_space);
`

export interface VectorCacheOptions {
  /** Holds `vectors.db`. */
  readonly dir: string
  readonly vectorSpace: string
  /** How large the file may grow; then the oldest vectors make room. */
  readonly maxBytes: number
}

export class VectorCache {
  readonly #file: string
  readonly #db: DatabaseSync
  readonly #options: VectorCacheOptions
  readonly #find: StatementSync
  readonly #keep: StatementSync
  readonly #size: StatementSync

  /** @throws LoomlogError `log-unavailable` */
  constructor(options: VectorCacheOptions) {
    this.#options = options
    this.#file = join(options.dir, 'vectors.db')
    const { db, find, keep, size } = this.#guard(() => open(this.#file, options.dir))
    this.#db = db
    this.#find = find
    this.#keep = keep
    this.#size = size
  }

  /** Those that are known, by text. @param space `tenant/space` */
  find(space: string, texts: readonly string[]): ReadonlyMap<string, Float32Array> {
    const { vectorSpace } = this.#options
    const found = new Map<string, Float32Array>()
    this.#guard(() => {
      for (const text of texts) {
        const row = this.#find.get(hashOf(text), space, vectorSpace)
        if (row) found.set(text, floats(row.vector as Uint8Array))
      }
    })
    return found
  }

  keep(space: string, vectors: ReadonlyMap<string, Float32Array>): void {
    const { vectorSpace, maxBytes } = this.#options
    if (vectors.size === 0) return
    this.#transaction(() => {
      for (const [text, vector] of vectors) this.#keep.run(vectorSpace, space, hashOf(text), bytes(vector))
      if (Number(this.#size.get()?.bytes) > maxBytes) this.#makeRoom()
    })
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #makeRoom(): void {
    this.#db.exec(`delete from vectors where id <=
      (select min(id) + (max(id) - min(id)) / ${roomShare} from vectors)`)
  }

  #transaction(work: () => void): void {
    this.#guard(() => {
      this.#db.exec('begin immediate')
      try {
        work()
        this.#db.exec('commit')
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('rollback')
        throw error
      }
    })
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      const message = `${this.#file} can't be used: ${(cause as Error).message}. It may be deleted while nothing runs`
      throw new LoomlogError('log-unavailable', message, { cause })
    }
  }
}

function open(file: string, dir: string) {
  mkdirSync(dir, { recursive: true })
  const db = new DatabaseSync(file, { timeout: busyTimeoutMs })
  db.exec(schema)
  return {
    db,
    find: db.prepare('select vector from vectors where text_hash = ? and space = ? and vector_space = ?'),
    keep: db.prepare(
      'insert into vectors (vector_space, space, text_hash, vector) values (?, ?, ?, ?) on conflict do nothing',
    ),
    size: db.prepare(
      `select (page_count - freelist_count) * page_size as bytes
       from pragma_page_count, pragma_freelist_count, pragma_page_size`,
    ),
  }
}

function hashOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

function bytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** A copy, since what SQLite hands out may start anywhere in memory. */
function floats(stored: Uint8Array): Float32Array {
  return new Float32Array(stored.slice().buffer)
}
