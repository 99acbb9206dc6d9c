/**
 * The encrypted keys of a log, in its own file. A destroyed key's bytes are overwritten, in the file and in its
 * write-ahead log.
 */
import type { KeyStore, StoredKey, StoredLogKey } from '../encryption/key-store.ts'
import type { Database } from './driver.ts'

interface LogKeyRow {
  readonly encrypted_by: string
  readonly encrypted: Uint8Array
}

const keyColumns = 'id, scope, encrypted'

export function sqliteKeys(db: Database): KeyStore {
  let seen = -1
  const logKey = (): StoredLogKey | null => {
    const row = db.one<LogKeyRow>('select encrypted_by, encrypted from log_key')
    return row && { encryptedBy: row.encrypted_by, encrypted: row.encrypted }
  }
  const changed = () => db.run('update log_key set changes = changes + 1')
  return {
    logKey,
    async createLogKey({ encryptedBy, encrypted }) {
      await db.write(() => db.run('insert or ignore into log_key values (1, ?, ?, 0)', encryptedBy, encrypted))
      return logKey() as StoredLogKey
    },
    async replaceLogKey({ encryptedBy, encrypted }) {
      await db.write(() => db.run('update log_key set encrypted_by = ?, encrypted = ?', encryptedBy, encrypted))
      await db.truncateJournal()
    },
    async refresh() {
      const changes = db.one<{ changes: number }>('select changes from log_key')?.changes ?? -1
      const isNew = changes !== seen
      seen = changes
      return isNew
    },
    byId: (id) => db.one<StoredKey>(`select ${keyColumns} from data_keys where id = ?`, id),
    ofScope: (scope) =>
      db.all<StoredKey>(
        `select ${keyColumns} from data_keys where scope = ? and encrypted is not null order by place`,
        scope,
      ),
    async add(keys) {
      await db.write(() => {
        for (const { id, scope, encrypted } of keys)
          db.run('insert into data_keys (id, scope, encrypted) values (?, ?, ?)', id, scope, encrypted)
        changed()
      })
    },
    async destroy(ids) {
      await db.write(() => {
        for (const id of ids) db.run('update data_keys set encrypted = null where id = ?', id)
        changed()
      })
      await db.truncateJournal()
    },
  }
}
