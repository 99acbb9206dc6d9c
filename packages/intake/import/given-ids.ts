/**
 * The ids of a file, in a temporary index on disk, as a file may have more of them than memory holds. Two entries with
 * one id and other contents are a conflict, which shows before anything is appended. The index holds hashes with a
 * random key that is in memory alone: a process that is killed leaves a file that nothing can be guessed from.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDisposableFile } from '@loomlog/log/disposable-file'

const schema = 'create table ids (key text primary key, content text not null, place text not null) without rowid'

interface Entry {
  readonly content: string
  readonly where: string
}

export interface FirstEntry {
  readonly hasSameContent: boolean
  readonly where: string
}

export interface GivenIds {
  /** The first entry with this key; null: this one is. */
  firstOf(key: string, entry: Entry): FirstEntry | null
  close(): void
}

export function openGivenIds(): GivenIds {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-ingest-'))
  const db = openDisposableFile({ dir, name: 'ids.db', schema, layout: 1, onRebuild: () => {} })
  db.exec('begin')
  const insert = db.prepare('insert into ids values (?, ?, ?) on conflict do nothing')
  const find = db.prepare('select content, place from ids where key = ?')
  const secret = randomBytes(32)
  const name = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  return {
    firstOf(key, { content, where }) {
      const [id, hash] = [name(key), name(`${key} ${content}`)]
      if (insert.run(id, hash, where).changes > 0) return null
      const row = find.get(id)
      return { hasSameContent: row?.content === hash, where: String(row?.place) }
    },
    close() {
      db.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
