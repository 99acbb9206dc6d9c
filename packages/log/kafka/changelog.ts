/**
 * The changelog of one partition of a group: its state by key, and one lease record with the position and the epoch. It
 * is compacted, and is the truth. Consumer group offsets repeat the position for Kafka's tools only: Kafka deletes them
 * once the group has had no members for a week.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Checkpoint } from '../checkpoint.ts'
import type { StateChange } from '../port.ts'
import type { PartitionRecord } from './produce.ts'
import type { RawRecord } from './read-committed.ts'
import type { AppliedPosition, LocalState } from './state.ts'
import type { TopicReader } from './topic-reader.ts'
import { tombstoneRetentionMs } from './topic-settings.ts'

export interface LeaseRecord {
  /** A random id of the changelog, chosen by its first owner. */
  readonly incarnation: string
  readonly epoch: number
  readonly position: number
  readonly owner: string
  /** Checkpoint of the input, so that another log under its name is noticed. Records from before 0.2 have none. */
  readonly input?: Checkpoint
}

const leaseKey = 'lease'
const statePrefix = 's/'

export interface ChangelogPartition {
  readonly kafkaTopic: string
  readonly partition: number
}

/** The lease record comes last, so that it is never older than the state that it belongs to. */
export function changelogRecords(
  place: ChangelogPartition,
  state: readonly StateChange[],
  lease: LeaseRecord,
): readonly PartitionRecord[] {
  const timestamp = Date.now()
  const changes = state.map(({ key, value }) => ({ ...place, key: statePrefix + key, value, timestamp }))
  return [...changes, { ...place, key: leaseKey, value: Buffer.from(JSON.stringify(lease)), timestamp }]
}

/**
 * Brings the local copy up to the end of the changelog, and returns the newest lease record. Only for an owner that has
 * fenced the previous one, whose open transaction would otherwise block this read.
 */
export async function restore(reader: TopicReader, partition: number, local: LocalState): Promise<LeaseRecord | null> {
  const { mark } = local
  const end = (await reader.endOffsets())[partition] ?? 0
  if (mark && mark.leaseOffset < end && Date.now() - mark.appliedAt < tombstoneRetentionMs / 2) {
    // Starts at a known lease record. If that one was compacted away, a later one follows.
    const lease = await follow(reader, partition, local, mark.leaseOffset, end)
    if (lease?.incarnation === mark.incarnation) return lease
  }
  local.clear()
  return await follow(reader, partition, local, 0, end)
}

async function follow(
  reader: TopicReader,
  partition: number,
  local: LocalState,
  start: number,
  end: number,
): Promise<LeaseRecord | null> {
  let lease: LeaseRecord | null = null
  for (let from = start; from < end; ) {
    for (const { records, next } of await reader.fetch(new Map([[partition, from]]), 1_000)) {
      requireReadable(records)
      const { mark } = local
      const found = records.findLast(({ key }) => key === leaseKey)
      if (found) lease = parseLease(found)
      const fresh = records.filter(({ offset }) => offset >= (mark?.next ?? 0))
      const to: AppliedPosition = {
        incarnation: mark?.incarnation ?? lease?.incarnation ?? '',
        leaseOffset: found?.offset ?? mark?.leaseOffset ?? 0,
        next: Math.max(next, mark?.next ?? 0),
        appliedAt: Date.now(),
      }
      local.apply(stateChanges(fresh), to)
      from = next
    }
  }
  return lease
}

/** Unreadable state can't be skipped: the group would continue from another state. */
function requireReadable(records: readonly RawRecord[]): void {
  const unreadable = records.find(({ fault }) => fault !== null)
  if (!unreadable) return
  const advice = 'restore that topic, or delete its group: its stage is then derived again from the recorded answers'
  throw new LoomlogError('log-corrupt', `${unreadable.fault}; ${advice}`)
}

function stateChanges(records: readonly RawRecord[]): readonly StateChange[] {
  return records.flatMap(({ key, value }) =>
    key?.startsWith(statePrefix) ? [{ key: key.slice(statePrefix.length), value }] : [],
  )
}

function parseLease({ topic, partition, offset, value }: RawRecord): LeaseRecord {
  try {
    return JSON.parse(Buffer.from(value ?? []).toString('utf8')) as LeaseRecord
  } catch (cause) {
    throw new LoomlogError('log-corrupt', `${topic}/${partition} at ${offset} is no lease record`, { cause })
  }
}
