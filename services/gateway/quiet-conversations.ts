/**
 * Ends quiet conversations and spaces: appends a `ConversationPaused` to a conversation without utterances for a while, which seals its open
 * box, and after a longer while a `SpacePaused` to its space, which ends the open window and batches. The partition's owner does it. Its position
 * is that of the oldest open conversation or space, so the next owner reads every open one again.
 * The id of a pause is derived from the last utterance, so that a pause that is appended twice has one effect. A later utterance voids a
 * `ConversationPaused`, but no `SpacePaused`: that ends the windows and batches of the lines before it.
 * So pauses are appended before the position is committed, and not with it: an open transaction of a stopped process on `utterances`
 * would hold up every reader of the partition.
 */
import { isLoomlogError } from '@loomlog/errors'
import { recordOf } from '@loomlog/intake/append'
import { pauseAfter, spacePauseAfter } from '@loomlog/intake/utterance'
import type { Lease, Log, LogRecord, Membership } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { ConversationPaused, LoomEvent, SpacePaused, UtteranceAppended } from '@loomlog/schemas/events'
import { sendSpan } from '@loomlog/traces/record-spans'

const topic = 'utterances'
const lookMs = 1_000
const maxRecords = 1_000

export interface QuietConversationsOptions {
  readonly log: Log
  readonly codec: Codec
  /** A conversation without appends for this long is quiet, in ms of log time. */
  readonly pauseAfterMs: number
  /** The same for a space; not before the pauses of its conversations. */
  readonly spacePauseAfterMs: number
  readonly session: { readonly sessionMs?: number }
  /** Ends the work, also during the join. */
  readonly signal?: AbortSignal
  onError(error: unknown): void
}

/** Works until the membership is closed. */
export function endQuietConversations(options: QuietConversationsOptions): Promise<Membership> {
  const onLease = (lease: Lease) => watch(lease, options)
  const { log, session, signal, onError } = options
  return log.join({ group: 'quiet-spaces', topic, ...session, ...(signal && { signal }), onLease, onError })
}

/** The fields of an utterance that a pause needs: its text would take memory for as long as its space is open. */
type LastUtterance = Pick<UtteranceAppended, 'id' | 'tenant' | 'space' | 'conversation' | 'at' | 'appendedAt'>

/** The last utterance of a conversation or space, and where it stands. */
interface Open {
  readonly last: LastUtterance
  readonly offset: number
  readonly traceparent?: string
}

class Quiet {
  readonly #open = new Map<string, Open>()
  readonly #afterMs: number

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  note(key: string, open: Open): void {
    this.#open.set(key, open)
  }

  /** A pause is in the log already. */
  paused(key: string, afterUtterance: string): void {
    if (this.#open.get(key)?.last.id === afterUtterance) this.#open.delete(key)
  }

  /** Takes out the entries that are quiet now. */
  take(now: number): readonly Open[] {
    const quiet = [...this.#open].filter(([, { last }]) => last.appendedAt + this.#afterMs <= now)
    for (const [key] of quiet) this.#open.delete(key)
    return quiet.map(([, open]) => open)
  }

  offsets(): readonly number[] {
    return [...this.#open.values()].map(({ offset }) => offset)
  }
}

async function watch(lease: Lease, options: QuietConversationsOptions): Promise<void> {
  const { log, codec, pauseAfterMs, spacePauseAfterMs } = options
  const conversations = new Quiet(pauseAfterMs)
  const spaces = new Quiet(Math.max(pauseAfterMs, spacePauseAfterMs))
  let [next, committed] = [lease.position, lease.position]
  while (!lease.signal.aborted) {
    const records = await lease.poll({ maxRecords, maxWaitMs: lookMs })
    for (const record of records) note({ conversations, spaces }, await codec.decodeOwn(record.value), record)
    next = (records.at(-1)?.offset ?? next - 1) + 1
    // Far behind the end, a conversation that looks quiet may have later utterances.
    if (records.length === maxRecords || lease.signal.aborted) continue
    const now = Date.now()
    const quiet = { conversations: conversations.take(now), spaces: spaces.take(now) }
    const position = Math.min(next, ...conversations.offsets(), ...spaces.offsets())
    const pauses = [
      ...quiet.conversations.map(({ last, traceparent }) => ({ pause: pauseAfter(last), traceparent })),
      ...quiet.spaces.map(({ last, traceparent }) => ({ pause: spacePauseAfter(last), traceparent })),
    ]
    if (pauses.length === 0 && position === committed) continue
    try {
      if (pauses.length > 0) await appendPauses(pauses, now, { log, codec })
      await lease.commit({ outputs: [], state: [], position })
    } catch (error) {
      // Another owner looks after the partition now.
      if (isLoomlogError(error, 'fenced')) return
      throw error
    }
    committed = position
  }
}

/** A pause continues the trace of the last utterance, which its box or its window ends with. */
async function appendPauses(
  pauses: readonly { readonly pause: ConversationPaused | SpacePaused; readonly traceparent: string | undefined }[],
  now: number,
  { log, codec }: Pick<QuietConversationsOptions, 'log' | 'codec'>,
): Promise<void> {
  const spans = pauses.map(({ traceparent }) => (traceparent ? sendSpan(topic, { traceparent }) : null))
  const records = pauses.map(({ pause }, at) => recordOf({ ...pause, appendedAt: now }, codec, spans[at]?.traceparent))
  await log.append(topic, records)
  for (const span of spans) span?.end()
}

function note(
  { conversations, spaces }: { readonly conversations: Quiet; readonly spaces: Quiet },
  event: LoomEvent | null,
  { key, offset, traceparent }: LogRecord,
): void {
  const space = key ?? ''
  switch (event?.type) {
    case 'UtteranceAppended': {
      const { id, tenant, conversation, at, appendedAt } = event
      const last = { id, tenant, space: event.space, conversation, at, appendedAt }
      const open = { last, offset, ...(traceparent && { traceparent }) }
      conversations.note(JSON.stringify([space, event.conversation]), open)
      spaces.note(space, open)
      break
    }
    case 'ConversationPaused':
      conversations.paused(JSON.stringify([space, event.conversation]), event.afterUtterance)
      break
    case 'SpacePaused':
      spaces.paused(space, event.afterUtterance)
  }
}
