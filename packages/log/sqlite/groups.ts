/** Lists groups with their positions and owners, and deletes groups. */
import { LoomlogError } from '@loomlog/errors'
import type { GroupLag } from '../port.ts'
import type { Database } from './driver.ts'

export function allGroups(db: Database, now: number): readonly GroupLag[] {
  return db
    .all<GroupLag>(
      `select l.group_name as "group", t.name as topic, l.partition, l.position, l.epoch,
         (select id from members where id = l.owner and expires_at > ?) as owner
       from leases l join topics t on t.id = l.topic order by l.group_name, t.name, l.partition`,
      now,
    )
    .map((lag) => ({ ...lag }))
}

/** Inside a write. @throws LoomlogError `group-in-use` */
export function deleteGroup(db: Database, group: string, now: number): void {
  const member = db.one('select id from members where group_name = ? and expires_at > ?', group, now)
  if (member) throw new LoomlogError('group-in-use', `the group ${group} has members: stop them first`)
  db.run('delete from state where lease in (select id from leases where group_name = ?)', group)
  db.run('delete from leases where group_name = ?', group)
  db.run('delete from members where group_name = ?', group)
}
