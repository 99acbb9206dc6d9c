/**
 * Merge batching: how long a batch waits for more records, so that tables get few and large merges. A merge costs some
 * 20 ms, nearly independent of its rows. New records wait for a moment. Old ones wait longer: they are a replay or late
 * anyway, and the merges of a replay cost more than its rows.
 */
import type { LogRecord } from '@loomlog/log/port'

export interface MergeBatching {
  /** The longest wait of a batch, from its first record on. */
  readonly lingerMs: number
  /** A pause of this length closes the batch, unless the merge before it is less than `intervalMs` ago. */
  readonly quietMs: number
  readonly intervalMs: number
  /** A limit, because rows are found only once all records of their batch are embedded. */
  readonly maxRecords: number
  /** A history has an end, and its last batch is closed there; live input has none. */
  readonly until: 'it is quiet' | 'end of input'
}

/** Records with a longer age are old. */
const oldMs = 60_000

const ofNew: MergeBatching = { lingerMs: 1_000, quietMs: 200, intervalMs: 0, maxRecords: 512, until: 'it is quiet' }
/**
 * Utterances that come one by one share merges. They are in their view within a second. Recall finds them before, in
 * the tail of the log; derived memories are found only in their view.
 */
const ofNewUtterances: MergeBatching = { ...ofNew, lingerMs: 700, intervalMs: 700 }
/**
 * Merges of a background view take the processor from live work. The wait is below the lag of five seconds that a
 * promotion allows.
 */
const inBackground: MergeBatching = {
  lingerMs: 2_000,
  quietMs: 2_000,
  intervalMs: 0,
  maxRecords: 128,
  until: 'it is quiet',
}
export const batchingOfOld: MergeBatching = {
  lingerMs: 5_000,
  quietMs: 1_000,
  intervalMs: 0,
  maxRecords: 1_024,
  until: 'end of input',
}

interface BatchingInput {
  readonly topic: string
  readonly isBesideLiveWork: boolean
  readonly now: number
}

/**
 * One new record in a live view is enough for a short wait. A derived record has the time of the record it came from. A
 * watermark has the time of its commit and no key, so it doesn't count. Null: there are only watermarks.
 */
export function batchingFor(
  records: readonly Pick<LogRecord, 'key' | 'timestamp'>[],
  { topic, isBesideLiveWork, now }: BatchingInput,
): MergeBatching | null {
  const events = records.filter(({ key }) => key !== null)
  if (events.length === 0) return null
  if (events.every(({ timestamp }) => timestamp < now - oldMs)) return batchingOfOld
  if (isBesideLiveWork) return inBackground
  return topic === 'utterances' ? ofNewUtterances : ofNew
}
