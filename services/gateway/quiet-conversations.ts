/**
 * Ends quiet conversations: appends a `ConversationPaused` to a conversation without utterances for a while, which seals its open box. The
 * partition's owner does it. Its position is that of the oldest open conversation, so the next owner reads every open one again.
 * The id of a pause is derived from the last utterance: appended twice it has one effect, and stages ignore it after a later utterance.
 * So pauses are appended before the position is committed, and not with it: an open transaction of a stopped process on `utterances`
 * would hold up every reader of the partition.
 */
import { isLoomlogError } from '@loomlog/errors'
import { recordOf } from '@loomlog/intake/append'
import { pauseAfter } from '@loomlog/intake/utterance'
import type { Lease, Log, LogRecord, Membership } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { LoomEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { sendSpan } from '@loomlog/traces/record-spans'

const topic = 'utterances'
const lookMs = 1_000
const maxRecords = 1_000

export interface QuietConversationsOptions {
  readonly log: Log
  readonly codec: Codec
  /** How long nothing must have been appended to a conversation, in ms of log time. */
  readonly pauseAfterMs: number
  readonly session: { readonly sessionMs?: number }
  /** Ends it, also while it joins. */
  readonly signal?: AbortSignal
  onError(error: unknown): void
}

/** Works until the membership is closed. */
export function endQuietConversations(options: QuietConversationsOptions): Promise<Membership> {
  const onLease = (lease: Lease) => watch(lease, options)
  const { log, session, signal, onError } = options
  return log.join({ group: 'pauses', topic, ...session, ...(signal && { signal }), onLease, onError })
}

/** A conversation's last utterance, and where it stands. */
interface Open {
  readonly last: UtteranceAppended
  readonly offset: number
  readonly traceparent?: string
}

async function watch(lease: Lease, { log, codec, pauseAfterMs }: QuietConversationsOptions): Promise<void> {
  const open = new Map<string, Open>()
  let [next, committed] = [lease.position, lease.position]
  while (!lease.signal.aborted) {
    const records = await lease.poll({ maxRecords, maxWaitMs: lookMs })
    for (const record of records) note(open, await codec.decodeOwn(record.value), record)
    next = (records.at(-1)?.offset ?? next - 1) + 1
    // Far behind the end, a conversation that looks quiet may have later utterances.
    if (records.length === maxRecords || lease.signal.aborted) continue
    const now = Date.now()
    const quiet = [...open].filter(([, { last }]) => last.appendedAt + pauseAfterMs <= now)
    for (const [key] of quiet) open.delete(key)
    const position = Math.min(next, ...[...open.values()].map(({ offset }) => offset))
    if (quiet.length === 0 && position === committed) continue
    try {
      if (quiet.length > 0)
        await appendPauses(
          quiet.map(([, conversation]) => conversation),
          now,
          { log, codec },
        )
      await lease.commit({ outputs: [], state: [], position })
    } catch (error) {
      // Another owner looks after the partition now.
      if (isLoomlogError(error, 'fenced')) return
      throw error
    }
    committed = position
  }
}

/** A pause continues the trace of the last utterance, which its box ends with. */
async function appendPauses(
  conversations: readonly Open[],
  now: number,
  { log, codec }: Pick<QuietConversationsOptions, 'log' | 'codec'>,
): Promise<void> {
  const spans = conversations.map(({ traceparent }) => (traceparent ? sendSpan(topic, { traceparent }) : null))
  const records = conversations.map(({ last }, at) =>
    recordOf({ ...pauseAfter(last), appendedAt: now }, codec, spans[at]?.traceparent),
  )
  await log.append(topic, records)
  for (const span of spans) span?.end()
}

function note(open: Map<string, Open>, event: LoomEvent | null, record: LogRecord): void {
  if (event?.type !== 'UtteranceAppended' && event?.type !== 'ConversationPaused') return
  const { key, offset, traceparent } = record
  const conversation = JSON.stringify([key, event.conversation])
  if (event.type === 'UtteranceAppended')
    open.set(conversation, { last: event, offset, ...(traceparent && { traceparent }) })
  else if (open.get(conversation)?.last.id === event.afterUtterance) open.delete(conversation)
}
