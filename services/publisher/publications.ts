/**
 * Published events from changes of memories. Pure.
 *
 * Invariants: a memory joins the feed at most once before it leaves. A change of its content is a retraction and an
 * insertion. An id is the hash of the feed, the space, the number of its switches, its last forgetting, the cause and
 * the change, so no id is published twice.
 */
import type { ChangeReason, CorrectionApplied, LoomEvent, MemoryChange, PublishedEvent } from '@loomlog/schemas/events'
import { canonicalJson, hash, type Json } from '@loomlog/schemas/ids'
import type { StoredRow } from '@loomlog/views/row'
import { contentOf, type MemoryContent } from './contents.ts'
import type { CorrectionOrigin } from './feed-state.ts'
import type { MemoryDelta } from './row-changes.ts'

/** Where a publication goes: the space, and the generation that its feed follows. */
export interface PublicationContext {
  /** The identity of the topic: a copy of the log publishes other events, so they have other ids. */
  readonly feed: string
  readonly tenant: string
  readonly space: string
  readonly generation: string
  readonly switches: number
  /** Log time of the space's last forgetting; 0: it had none. */
  readonly forgotten: number
  /** Log time of the cause. */
  readonly at: number
}

interface Cause {
  /** The event's id; 'switch' for the differences of a switch. */
  readonly id: string
  readonly because: ChangeReason
}

type ChangedRow = Pick<MemoryDelta, 'table' | 'id' | 'before' | 'after'> & { readonly left?: StoredRow }

/** The retraction first. Empty if the published content is unchanged. */
export function publicationsOf(
  changed: ChangedRow,
  cause: Cause,
  context: PublicationContext,
): readonly PublishedEvent[] {
  const { table, id, before, after, left } = changed
  const [old, now] = [before && contentOf(table, before), after && contentOf(table, after)]
  if (old && now && canonicalJson(old as Json) === canonicalJson(now as Json)) return []
  const published = (change: MemoryChange, content: MemoryContent): PublishedEvent => ({
    ...content,
    ...envelope(context, [cause.id, table.name, id, change]),
    memory: id,
    change,
    because: cause.because,
  })
  const last = old && left && after === null ? withReplacement(old, contentOf(table, left)) : old
  return [...(last ? [published('retracted', last)] : []), ...(now ? [published('inserted', now)] : [])]
}

/** A retired entry names the entry that takes its place. */
function withReplacement(content: MemoryContent, left: MemoryContent | null): MemoryContent {
  if (content.type !== 'EntryPublished' || left?.type !== 'EntryPublished') return content
  return { ...content, replacedBy: left.replacedBy }
}

export function correctionPublished(
  event: CorrectionApplied,
  origin: CorrectionOrigin | null,
  context: PublicationContext,
): PublishedEvent {
  const { correction, outcome, retracted, withheld, unsure } = event
  const { action, by } = origin ?? { action: null, by: null }
  const body = { correction, action, by, outcome, retracted, withheld, unsure, keyId: null }
  return { type: 'CorrectionPublished', ...envelope(context, [event.id, 'correction']), ...body }
}

interface UtterancePosition {
  readonly partition: number
  readonly upTo: number
}

export function progressMarked(context: PublicationContext, { partition, upTo }: UtterancePosition): PublishedEvent {
  return { type: 'ProgressMarked', ...envelope(context, ['mark', upTo]), partition, upTo }
}

export interface GenerationSwitch extends UtterancePosition {
  readonly from: string | null
  readonly inserted: number
  readonly retracted: number
}

export function generationSwitched(
  context: PublicationContext,
  { from, inserted, retracted, partition, upTo }: GenerationSwitch,
) {
  const body = { from, inserted, retracted, partition, upTo }
  return { type: 'GenerationSwitched', ...envelope(context, ['switch']), ...body } satisfies LoomEvent
}

/** The memory after a forgetting has the ids of the one before it, and is published again under other ids. */
export function envelope(
  { feed, tenant, space, generation, switches, forgotten, at }: PublicationContext,
  cause: Json,
) {
  const since = forgotten === 0 ? [] : [forgotten]
  return { id: hash(['memory-events', feed, tenant, space, switches, ...since, cause]), tenant, space, generation, at }
}
