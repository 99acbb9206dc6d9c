/**
 * Vectors that were computed for views, kept in a SQLite file: a view that is rebuilt, in this derivation or in another
 * one, embeds only new texts. The file may be lost (disposable-file.ts), and any number of processes share it.
 *
 * A vector is found by vector space, memory space and the hash of its text; no text is kept. It depends on nothing
 * else, so it is valid for every log. Memory spaces share no vectors, so that a space's vectors can be deleted with it.
 * Beside an encrypted log, vectors are sealed, and keyed hashes stand for texts: a short text can be guessed from a
 * plain hash, and the sense of a text from its vector.
 * When a text is kept twice, the first vector stays. A vector that does not match its checksum counts as missing, and
 * its text is embedded again.
 */
import { hash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import {
  eraseDeleted,
  isDamage,
  layoutOf,
  openDisposableFile,
  removeDisposableFile,
} from '@loomlog/log/disposable-file'
import type { Sealer } from '@loomlog/log/port'

/** A full file evicts one in this many of its vectors, the oldest first. */
const evictedOneIn = 10

const fileName = 'vectors.db'
const layout = 2
const schema = `
  create table vectors (
    id integer primary key autoincrement, vector_space text not null, space text not null, text_hash blob not null,
    vector blob not null, checksum integer not null);
  create unique index vectors_by_text on vectors (text_hash, space, vector_space)
`

export interface VectorCacheOptions {
  /** Holds `vectors.db`; where it can't be written, or is null, vectors are kept in memory. */
  readonly dir: string | null
  readonly vectorSpace: string
  /** Null: the log is not encrypted. */
  readonly sealing: Sealer | null
  /** Size limit of the file; then the oldest vectors make room. */
  readonly maxBytes: number
  /** Reports that the file is rebuilt, and why. */
  onRebuild(message: string): void
}

interface OpenCache {
  readonly db: DatabaseSync
  readonly find: StatementSync
  readonly keep: StatementSync
  readonly size: StatementSync
}

export class VectorCache {
  readonly #options: VectorCacheOptions
  #opened: OpenCache

  /** @throws LoomlogError `index-unavailable` */
  constructor(options: VectorCacheOptions) {
    this.#options = options
    this.#opened = this.#guard(() => this.#open())
  }

  /** The known vectors, by text. @param space `tenant/space` */
  find(space: string, texts: readonly string[]): ReadonlyMap<string, Float32Array> {
    const { vectorSpace } = this.#options
    return this.#unlessDamaged(() => {
      const known = new Map<string, Float32Array>()
      for (const text of texts) {
        const textHash = this.#hashOf(space, text)
        const row = this.#opened.find.get(textHash, space, vectorSpace)
        if (row === undefined) continue
        const stored = row.vector as Uint8Array
        const vector = row.checksum === checksumOf(textHash, stored) ? this.#vectorIn(space, stored) : null
        if (vector !== null) known.set(text, floats(vector))
        else this.#opened.db.prepare('delete from vectors where id = ?').run(row.id ?? null)
      }
      return known
    })
  }

  async keep(space: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    if (vectors.size === 0) return
    const { sealing } = this.#options
    if (sealing !== null) await sealing.ready([space])
    this.#unlessDamaged(() => this.#keepAll(space, vectors))
  }

  /** Erases the vectors of a space from the file. Texts that are needed again are embedded again. */
  forget(space: string): void {
    this.#unlessDamaged(() => {
      const { db } = this.#opened
      db.prepare('delete from vectors where space = ?').run(space)
      eraseDeleted(db)
    })
  }

  close(): void {
    if (this.#opened.db.isOpen) this.#opened.db.close()
  }

  #keepAll(space: string, vectors: ReadonlyMap<string, Float32Array>): void {
    const { vectorSpace, maxBytes, sealing } = this.#options
    const { db, keep, size } = this.#opened
    db.exec('begin immediate')
    try {
      for (const [text, vector] of vectors) {
        const textHash = this.#hashOf(space, text)
        const stored = sealing?.seal(space, bytes(vector)) ?? bytes(vector)
        keep.run(vectorSpace, space, textHash, stored, checksumOf(textHash, stored))
      }
      if (Number(size.get()?.bytes) > maxBytes) this.#makeRoom()
      db.exec('commit')
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      throw error
    }
  }

  #hashOf(space: string, text: string): Uint8Array {
    const { sealing } = this.#options
    return sealing === null ? hash('sha256', text, 'buffer') : Buffer.from(sealing.name(JSON.stringify([space, text])))
  }

  /** Null: it is embedded again, since its key was destroyed, or is one that another process has just made. */
  #vectorIn(space: string, stored: Uint8Array): Uint8Array | null {
    const { sealing } = this.#options
    try {
      return sealing === null ? stored : sealing.open(space, stored)
    } catch (error) {
      if (isLoomlogError(error, 'key-unavailable')) return null
      throw error
    }
  }

  #makeRoom(): void {
    this.#opened.db.exec(`delete from vectors where id <=
      (select min(id) + (max(id) - min(id)) / ${evictedOneIn} from vectors)`)
  }

  #open(): OpenCache {
    const { dir, onRebuild, sealing } = this.#options
    const db = openDisposableFile({ dir, name: fileName, schema, layout: layoutOf(layout, sealing), onRebuild })
    return {
      db,
      find: db.prepare(
        'select id, vector, checksum from vectors where text_hash = ? and space = ? and vector_space = ?',
      ),
      keep: db.prepare(
        'insert into vectors (vector_space, space, text_hash, vector, checksum) values (?, ?, ?, ?, ?) on conflict do nothing',
      ),
      size: db.prepare(
        `select (page_count - freelist_count) * page_size as bytes
         from pragma_page_count, pragma_freelist_count, pragma_page_size`,
      ),
    }
  }

  /** A damaged file is rebuilt, and the work is done with the empty one. */
  #unlessDamaged<T>(work: () => T): T {
    return this.#guard(() => {
      try {
        return work()
      } catch (error) {
        if (!isDamage(error)) throw error
        this.close()
        if (this.#options.dir !== null) removeDisposableFile(this.#options.dir, fileName)
        this.#options.onRebuild(`${fileName} is damaged: it is deleted and rebuilt`)
        this.#opened = this.#open()
        return work()
      }
    })
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      const message = `${fileName} in ${this.#options.dir ?? 'memory'} can't be used: ${(cause as Error).message}`
      throw new LoomlogError('index-unavailable', message, { cause })
    }
  }
}

function checksumOf(textHash: Uint8Array, vector: Uint8Array): number {
  return crc32(vector, crc32(textHash))
}

function bytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** A copy, since SQLite's bytes may start anywhere in memory. */
function floats(stored: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(stored).buffer)
}
