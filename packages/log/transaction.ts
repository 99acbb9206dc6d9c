/**
 * Runs work in one write transaction of an SQLite file: all of it is committed, or nothing.
 * @throws the work's error
 */
import type { DatabaseSync } from 'node:sqlite'

export function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec('begin immediate')
  try {
    work()
    db.exec('commit')
  } catch (error) {
    if (db.isOpen && db.isTransaction) db.exec('rollback')
    throw error
  }
}
