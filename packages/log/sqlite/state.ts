/**
 * The keyed records of a lease's partition. They are written only with a commit, so what is read here is always committed.
 * Keys order bytewise, as SQLite compares UTF-8 text.
 */
import type { StateChange, StateReader } from '../port.ts'
import type { Database } from './database.ts'

export function stateReader(db: Database, lease: number): StateReader {
  return {
    get(key) {
      return (
        db.one<{ value: Uint8Array }>('select value from state where lease = ? and key = ?', lease, key)?.value ?? null
      )
    },
    getMany(keys) {
      const sql = 'select key, value from state where lease = ? and key in (select value from json_each(?))'
      const rows = db.all<{ key: string; value: Uint8Array }>(sql, lease, JSON.stringify(keys))
      return new Map(rows.map(({ key, value }) => [key, value]))
    },
    range(prefix, limit) {
      const found: (readonly [string, Uint8Array])[] = []
      db.each<{ key: string; value: Uint8Array }>(
        'select key, value from state where lease = ? and key >= ? order by key limit ?',
        [lease, prefix, limit],
        ({ key, value }) => {
          if (!key.startsWith(prefix)) return 'enough'
          found.push([key, value])
          return 'more'
        },
      )
      return found
    },
  }
}

/** Inside a write. */
export function writeState(db: Database, lease: number, changes: readonly StateChange[]): void {
  for (const { key, value } of changes) {
    if (value === null) db.run('delete from state where lease = ? and key = ?', lease, key)
    else {
      db.run(
        `insert into state (lease, key, value) values (?, ?, ?)
         on conflict (lease, key) do update set value = excluded.value`,
        lease,
        key,
        value,
      )
    }
  }
}
