/**
 * The ids of a file, in a temporary index on disk, as a file may have more of them than memory holds. Two entries with
 * one id and other contents are a conflict, which shows before anything is appended.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDisposableFile } from '@loomlog/log/disposable-file'

const schema = 'create table ids (key text primary key, content text not null, place text not null) without rowid'

export interface FirstEntry {
  readonly content: string
  readonly where: string
}

export interface GivenIds {
  /** The first entry with this key; null: this one is. */
  firstOf(key: string, entry: FirstEntry): FirstEntry | null
  close(): void
}

export function openGivenIds(): GivenIds {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-ingest-'))
  const db = openDisposableFile({ dir, name: 'ids.db', schema, layout: 1, onRebuild: () => {} })
  db.exec('begin')
  const insert = db.prepare('insert into ids values (?, ?, ?) on conflict do nothing')
  const find = db.prepare('select content, place from ids where key = ?')
  return {
    firstOf(key, { content, where }) {
      if (insert.run(key, content, where).changes > 0) return null
      const row = find.get(key)
      return { content: String(row?.content), where: String(row?.place) }
    },
    close() {
      db.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
