/**
 * The identity of a topic: the id of the file, which a copy of the file keeps, and the id of the topic, which is never
 * reused.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Database } from './driver.ts'
import type { Topic } from './topics.ts'

export function identityOf(db: Database, topic: Topic): string {
  const row = db.one<{ id: string }>('select id from identity')
  if (!row) throw new LoomlogError('log-corrupt', `${db.file} has no identity: restore it from a backup`)
  return `${row.id}/${topic.id}`
}
