/**
 * Each member's share of the partitions, and the rows with their owners. Every member computes its share alone, in a
 * write transaction, from the same rows, so no member leads: it takes free partitions up to its share, and gives up the
 * rest. Invariants: a partition has one owner at most; its epoch rises whenever it is taken; only the owner gives it up
 * while the owner sends heartbeats.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { Database } from './driver.ts'
import type { Topic } from './topics.ts'

/** A taken lease as its row identifies it. The row's id changes when a group or topic was deleted in between. */
export interface Claim {
  readonly id: number
  readonly partition: number
  readonly owner: string
  readonly epoch: number
  readonly position: number
}

export interface Member {
  readonly id: string
  readonly group: string
  readonly sessionMs: number
}

/**
 * Inside a write. Renews this member, and removes members without a heartbeat. A member that was silent for too long
 * keeps the partitions that no other member took meanwhile.
 */
export function renewMember(
  db: Database,
  member: Member,
  topic: Topic,
  options: { readonly now: number; readonly intent: 'stay' | 'leave' },
): void {
  const { now, intent } = options
  db.run('delete from members where group_name = ? and topic = ? and expires_at <= ?', member.group, topic.id, now)
  db.run(
    `insert into members (id, group_name, topic, expires_at, leaving) values (?, ?, ?, ?, ?)
     on conflict (id) do update
     set topic = excluded.topic, expires_at = excluded.expires_at, leaving = excluded.leaving`,
    member.id,
    member.group,
    topic.id,
    now + member.sessionMs,
    intent === 'leave' ? 1 : 0,
  )
  for (let partition = 0; partition < topic.partitions; partition++) {
    const made = db.run(
      'insert or ignore into leases (group_name, topic, partition, checksum) values (?, ?, ?, 0)',
      member.group,
      topic.id,
      partition,
    )
    if (made === 1) setChecksum(db, 'group_name = ? and topic = ? and partition = ?', member.group, topic.id, partition)
  }
}

/** Inside a write. */
export function isOwner(db: Database, claim: Claim): boolean {
  const row = db.one(
    'select 1 from leases where id = ? and owner = ? and epoch = ?',
    claim.id,
    claim.owner,
    claim.epoch,
  )
  return row !== null
}

/**
 * Inside a write. An even share. If the partitions don't divide evenly, the members that hold the most get one more, so
 * that few partitions move.
 */
export function shareOf(db: Database, member: Member, topic: Topic): number {
  const members = db.all<{ id: string }>(
    `select m.id from members m
     where m.group_name = ? and m.topic = ? and m.leaving = 0
     order by (select count(*) from leases l where l.group_name = m.group_name and l.topic = m.topic and l.owner = m.id) desc, m.id`,
    member.group,
    topic.id,
  )
  const rank = members.findIndex(({ id }) => id === member.id)
  const remainder = topic.partitions % members.length
  return Math.floor(topic.partitions / members.length) + (rank < remainder ? 1 : 0)
}

/** Inside a write. Takes at most `count` partitions of `wanted` that have no living owner. */
export function takeFreePartitions(
  db: Database,
  member: Member,
  topic: Topic,
  options: { readonly wanted: (partition: number) => boolean; readonly count: number },
): readonly Claim[] {
  const { wanted, count } = options
  if (count <= 0) return []
  return db
    .all<Omit<Claim, 'owner'>>(
      `select id, partition, epoch, position from leases
       where group_name = ? and topic = ?
         and (owner is null or owner = ? or owner not in (select id from members)) order by partition`,
      member.group,
      topic.id,
      member.id,
    )
    .filter(({ partition }) => wanted(partition))
    .slice(0, count)
    .map(({ id, partition, epoch, position }) => {
      const claim = { id, partition, owner: member.id, epoch: epoch + 1, position }
      db.run('update leases set owner = ?, epoch = ? where id = ?', claim.owner, claim.epoch, id)
      setChecksum(db, 'id = ?', id)
      return claim
    })
}

/** Inside a write. False where the committed position is higher. */
export function advancePosition(db: Database, { id }: Claim, position: number): boolean {
  const moved = db.run('update leases set position = ? where id = ? and position <= ?', position, id, position) === 1
  if (moved) setChecksum(db, 'id = ?', id)
  return moved
}

/** Writes the checksums of changed rows. They don't cover the owner: a damaged one only delays the next owner. */
function setChecksum(db: Database, where: string, ...values: SQLInputValue[]): void {
  db.run(
    `update leases set checksum = checksum(id, group_name, topic, partition, position, epoch) where ${where}`,
    ...values,
  )
}

/** Inside a write. */
export function releasePartition(db: Database, claim: Claim): void {
  db.run('update leases set owner = null where id = ? and owner = ? and epoch = ?', claim.id, claim.owner, claim.epoch)
}

/** Inside a write. */
export function removeMember(db: Database, member: Member): void {
  db.run('delete from members where id = ?', member.id)
}
