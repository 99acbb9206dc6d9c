/**
 * Checkpoints: a reader stores one beside its own data, so that a later reader notices another log, or an older copy of
 * the same log. A checkpoint names the log, the position, and the digest of the last record before the position.
 *
 * Invariants:
 * 1. A log that only grew since the checkpoint continues it.
 * 2. Another log, a log that ends before the position, and a log with another record in that place replace it:
 *    everything that was derived up to the checkpoint must be derived again.
 */
import { hash } from 'node:crypto'
import type { Log, LogRecord } from './port.ts'

export interface Checkpoint {
  /** The identity of the topic in its log. */
  readonly log: string
  /** The next offset that the reader has not seen. */
  readonly offset: number
  /** The last record before the offset; null: there was none. */
  readonly last: { readonly offset: number; readonly digest: string } | null
}

export type Continuity =
  | { readonly kind: 'continues' }
  /** `reason` completes the sentence "the log was replaced: …". */
  | { readonly kind: 'replaced'; readonly reason: string }

interface PartitionId {
  readonly topic: string
  readonly partition: number
}

const digestCharacters = 16
const continues: Continuity = { kind: 'continues' }

/** The checkpoint of a reader that has seen everything up to and with this record. */
export function checkpointAfter(log: string, record: LogRecord): Checkpoint {
  const { offset } = record
  return { log, offset: offset + 1, last: { offset, digest: digestOf(record) } }
}

/**
 * Compares a checkpoint with the log as it is now. Reads one record.
 * @throws LoomlogError `topic-unknown`, `log-unavailable`
 */
export async function continuityOf(
  log: Pick<Log, 'identity' | 'endOffsets' | 'read'>,
  place: PartitionId,
  checkpoint: Checkpoint,
): Promise<Continuity> {
  const { topic, partition } = place
  const identity = await log.identity(topic)
  if (identity !== checkpoint.log) return replaced(`${topic} is ${identity}, and was ${checkpoint.log}`)
  const { last } = checkpoint
  if (last === null) return continues
  const end = (await log.endOffsets(topic))[partition] ?? 0
  if (end <= last.offset) return replaced(`${topic}/${partition} ends at ${end}, and had a record at ${last.offset}`)
  const from = new Map([[partition, last.offset]])
  for await (const [first] of log.read({ topic, partitions: [partition], from, until: 'end', maxRecords: 1 })) {
    if (first?.offset === last.offset && digestOf(first) === last.digest) return continues
    break
  }
  return replaced(`${topic}/${partition} has another record at ${last.offset} than before`)
}

function digestOf({ offset, key, value, timestamp }: LogRecord): string {
  const head = JSON.stringify([offset, timestamp, key])
  return hash('sha256', Buffer.concat([Buffer.from(head), value])).slice(0, digestCharacters)
}

function replaced(reason: string): Continuity {
  return { kind: 'replaced', reason }
}
