/**
 * How long a batch waits for more records, so that tables get few and large merges: a moment for what was just said, a little longer
 * for what was said long ago. That is derived again, or late anyway, and a replay's merges cost more than its rows.
 */
import type { LogRecord } from '@loomlog/log/port'
import type { ViewTopic } from '@loomlog/views/catalogue'

export interface Patience {
  /** From the first record on, at most. */
  readonly lingerMs: number
  /** No others are waited for once none has come for so long. */
  readonly quietMs: number
  /** Records in one batch, at most: they are found once all of them are embedded. */
  readonly most: number
  /** What was said long ago comes to an end, and nothing is waited for once it has; what is said now goes on. */
  readonly until: 'it is quiet' | 'all is there'
}

/** What was said longer ago is in no hurry. */
const oldMs = 60_000

const forNew: Patience = { lingerMs: 1_000, quietMs: 200, most: 512, until: 'it is quiet' }
/** Raw utterances are to be found within a second. */
const forNewUtterances: Patience = { lingerMs: 300, quietMs: 200, most: 512, until: 'it is quiet' }
/** Its merges take the processor from what is read; it is promoted when it is five seconds behind at most. */
const forUnread: Patience = { lingerMs: 2_000, quietMs: 2_000, most: 128, until: 'it is quiet' }
export const forOld: Patience = { lingerMs: 5_000, quietMs: 1_000, most: 1_024, until: 'all is there' }

/**
 * One new record among them is enough for haste, where somebody waits for it (`isUrgent`, see throttle.ts of the runtime). A derived record has the time of the record it came from. Null where nothing was
 * said: that says nothing of haste.
 */
export function patienceWith(
  records: readonly Pick<LogRecord, 'key' | 'timestamp'>[],
  { topic, isUrgent, now }: { readonly topic: ViewTopic; readonly isUrgent: boolean; readonly now: number },
): Patience | null {
  // Watermarks have no key, and the time of their commit.
  const said = records.filter(({ key }) => key !== null)
  if (said.length === 0) return null
  if (said.every(({ timestamp }) => timestamp < now - oldMs)) return forOld
  if (!isUrgent) return forUnread
  return topic === 'utterances' ? forNewUtterances : forNew
}
