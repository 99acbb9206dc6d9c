/**
 * Merge batching: how long a batch waits for more records, so that tables get few and large merges. Records of new utterances wait for a
 * moment. Old ones wait longer: they are derived again, or late anyway, and a replay's merges cost more than its rows.
 */
import type { LogRecord } from '@loomlog/log/port'

export interface MergeBatching {
  /** Of the batch, from its first record on, at most. */
  readonly lingerMs: number
  /** The batch is closed after so long without a record. */
  readonly quietMs: number
  /** Rows can be found once all records of their batch are embedded. */
  readonly maxRecords: number
  /** A history has an end, and its last batch is closed there; live input has none. */
  readonly until: 'it is quiet' | 'end of input'
}

/** Records of an earlier time are old. */
const oldMs = 60_000

const ofNew: MergeBatching = { lingerMs: 1_000, quietMs: 200, maxRecords: 512, until: 'it is quiet' }
/** Raw utterances are found within a second. */
const ofNewUtterances: MergeBatching = { ...ofNew, lingerMs: 300 }
/** Merges of a view in the background take the processor from live work; it is promoted when it is five seconds behind at most. */
const inBackground: MergeBatching = { lingerMs: 2_000, quietMs: 2_000, maxRecords: 128, until: 'it is quiet' }
export const batchingOfOld: MergeBatching = {
  lingerMs: 5_000,
  quietMs: 1_000,
  maxRecords: 1_024,
  until: 'end of input',
}

/**
 * One new record in a live view is enough for a short wait. A derived record has the time of the record it came from; a watermark has the
 * time of its commit, and no key. Null: there are only watermarks, which tell nothing.
 */
export function batchingFor(
  records: readonly Pick<LogRecord, 'key' | 'timestamp'>[],
  { topic, isUrgent, now }: { readonly topic: string; readonly isUrgent: boolean; readonly now: number },
): MergeBatching | null {
  const events = records.filter(({ key }) => key !== null)
  if (events.length === 0) return null
  if (events.every(({ timestamp }) => timestamp < now - oldMs)) return batchingOfOld
  if (!isUrgent) return inBackground
  return topic === 'utterances' ? ofNewUtterances : ofNew
}
