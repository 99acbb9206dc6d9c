/**
 * Ends quiet conversations and spaces. A conversation without utterances for a while gets a `ConversationPaused`, which
 * seals its open box; a space without utterances for longer gets a `SpacePaused`, which ends its open window and the
 * stages' batches. The partition's owner appends them. Its committed position is that of the oldest open conversation
 * or space, so the next owner reads every open one again.
 *
 * The id of a pause is derived from the last utterance, so a pause that is appended twice has one effect. This allows
 * the append before the commit of the position, and outside of its transaction: an open transaction of a stopped
 * process on `utterances` would hold up every reader of the partition.
 *
 * A later utterance voids a `ConversationPaused`, but no `SpacePaused`: that one ends the windows and the stages'
 * batches of the utterances before it.
 */
import { isLoomlogError } from '@loomlog/errors'
import { recordOf } from '@loomlog/intake/append'
import { misplacementOf } from '@loomlog/log/partition'
import type { Lease, Log, Membership } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { sendSpan } from '@loomlog/telemetry/record-spans'
import { OpenConversations, type QuietPause } from './open-conversations.ts'

/** The consumer group of the processes that append pauses. */
export const quietSpacesGroup = 'quiet-spaces'

const topic = 'utterances'
const pollMs = 1_000
const maxRecords = 1_000

export interface QuietConversationsOptions {
  readonly log: Log
  readonly codec: Codec
  /** A conversation without appends for this long is quiet, in ms of log time. */
  readonly pauseAfterMs: number
  /** The same for a space; at least `pauseAfterMs`, so that its conversations pause first. */
  readonly spacePauseAfterMs: number
  readonly session: { readonly sessionMs?: number }
  /** Ends the membership, also during the join. */
  readonly signal?: AbortSignal
  onError(error: unknown): void
}

/** Works until the membership is closed. */
export function endQuietConversations(options: QuietConversationsOptions): Promise<Membership> {
  const onLease = (lease: Lease) =>
    watch(lease, options).catch((error) => {
      // Another member owns the partition now.
      if (!isLoomlogError(error, 'fenced')) throw error
    })
  const { log, session, signal, onError } = options
  return log.join({ group: quietSpacesGroup, topic, ...session, ...(signal && { signal }), onLease, onError })
}

async function watch(lease: Lease, options: QuietConversationsOptions): Promise<void> {
  const { log, codec, pauseAfterMs, spacePauseAfterMs } = options
  const open = new OpenConversations({ pauseAfterMs, spacePauseAfterMs })
  const partitions = (await log.endOffsets(topic)).length
  let [next, committed] = [lease.position, lease.position]
  while (!lease.signal.aborted) {
    const now = Date.now()
    // Null: nothing looks quiet. Below this end, there may be later utterances of an entry that looks quiet.
    const end = open.hasQuiet(now) ? await endOf(log, lease.partition) : null
    const isDue = end !== null && next >= end
    const records = await lease.poll({ maxRecords, maxWaitMs: isDue ? 0 : pollMs })
    const placed = records.filter((record) => misplacementOf(record, partitions) === null)
    for (const record of placed) open.note(await codec.decodeOwn(record.value), record)
    next = (records.at(-1)?.offset ?? next - 1) + 1
    if (lease.signal.aborted || next < (end ?? 0)) continue
    const pauses = end === null ? [] : open.takePauses(now)
    const position = open.lowestOffset ?? next
    if (pauses.length === 0 && position === committed) continue
    await appendPauses(pauses, now, { log, codec })
    await lease.commit({ outputs: [], state: [], position })
    committed = position
  }
}

async function endOf(log: Log, partition: number): Promise<number> {
  return (await log.endOffsets(topic))[partition] ?? 0
}

/** A pause continues the trace of the last utterance, which is the last of its box or window. */
async function appendPauses(
  pauses: readonly QuietPause[],
  now: number,
  { log, codec }: Pick<QuietConversationsOptions, 'log' | 'codec'>,
): Promise<void> {
  if (pauses.length === 0) return
  const spans = pauses.map(({ traceparent }) => (traceparent ? sendSpan(topic, { traceparent }) : null))
  const records = pauses.map(({ pause }, at) => recordOf({ ...pause, appendedAt: now }, codec, spans[at]?.traceparent))
  await log.append(topic, records)
  for (const span of spans) span?.end()
}
