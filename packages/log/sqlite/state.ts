/**
 * The keyed records of a lease's partition. They are written only with a commit, so a reader sees committed records
 * only. Keys order bytewise, as SQLite compares UTF-8 text. A record with a wrong checksum is refused: a step must not
 * decide by it.
 */
import { LoomlogError } from '@loomlog/errors'
import type { StateChange, StateReader } from '../port.ts'
import { stateChecksum } from './checksum.ts'
import type { Database } from './driver.ts'

interface StoredState {
  readonly key: string
  readonly value: Uint8Array
  readonly checksum: number
}

const columns = 'key, value, checksum'

/** @throws LoomlogError `log-corrupt` on a read of a damaged record */
export function stateReader(db: Database, lease: number): StateReader {
  const checked = ({ key, value, checksum }: StoredState): Uint8Array => {
    if (stateChecksum(lease, key, value) === checksum) return value
    throw new LoomlogError(
      'log-corrupt',
      `the state record ${JSON.stringify(key)} of lease ${lease} in ${db.file} is damaged: its checksum does not match. Restore the log ` +
        'from a backup (loomlog restore)',
    )
  }
  return {
    get(key) {
      const row = db.one<StoredState>(`select ${columns} from state where lease = ? and key = ?`, lease, key)
      return row === null ? null : checked(row)
    },
    getMany(keys) {
      const sql = `select ${columns} from state where lease = ? and key in (select value from json_each(?))`
      const rows = db.all<StoredState>(sql, lease, JSON.stringify(keys))
      return new Map(rows.map((row) => [row.key, checked(row)]))
    },
    range,
    some: range,
  }

  function range(prefix: string, limit: number): readonly (readonly [string, Uint8Array])[] {
    const records: (readonly [string, Uint8Array])[] = []
    db.each<readonly [key: string, value: Uint8Array, checksum: number]>(
      `select ${columns} from state where lease = ? and key >= ? order by key limit ?`,
      [lease, prefix, limit],
      ([key, value, checksum]) => {
        if (!key.startsWith(prefix)) return 'enough'
        records.push([key, checked({ key, value, checksum })])
        return 'more'
      },
    )
    return records
  }
}

/** Inside a write. */
export function writeState(db: Database, lease: number, changes: readonly StateChange[]): void {
  for (const { key, value } of changes) {
    if (value === null) db.run('delete from state where lease = ? and key = ?', lease, key)
    else {
      db.run(
        `insert into state (lease, key, value, checksum) values (?, ?, ?, ?)
         on conflict (lease, key) do update set value = excluded.value, checksum = excluded.checksum`,
        lease,
        key,
        value,
        stateChecksum(lease, key, value),
      )
    }
  }
}
