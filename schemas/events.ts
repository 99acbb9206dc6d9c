/**
 * The types of events. The interfaces come from the .avsc files (`generated/events.ts`); this file adds the unions, and
 * the part of a derived event that a processor writes itself.
 */
import type { DerivedEvent, Lineage, PublishedEvent, SourceEvent, SystemEvent } from './generated/events.ts'

export type * from './generated/events.ts'

/** The fields of every derived event, also of one that an extension adds. */
export interface DerivedRecord {
  readonly type: string
  readonly id: string
  readonly tenant: string
  readonly space: string
  readonly seq: number
  readonly ordinal: number
  readonly knownAt: number
  readonly lineage: Lineage
  /** The key that people's words in the record are encrypted with; null: they are plain text. */
  readonly keyId?: string | null
}

/** An event of a space that a stage may read. */
export type SpaceRecord = SourceEvent | DerivedRecord

/** Any event of a space, in its order: source and derived events. */
export type SpaceEvent = SourceEvent | DerivedEvent

export type LoomEvent = SpaceEvent | SystemEvent | PublishedEvent

/** Any event of the log: loomlog's own, or a derived one that an extension adds. */
export type LogEvent = LoomEvent | DerivedRecord

/** Whether it is this event of loomlog's own. No extension has a record of the same name. */
export function isEvent<T extends LoomEvent['type']>(
  type: T,
  event: LogEvent | null,
): event is Extract<LoomEvent, { readonly type: T }> {
  return event?.type === type
}

/** Fields that the runtime fills in for every derived event. */
type Envelope = 'id' | 'tenant' | 'space' | 'seq' | 'ordinal' | 'knownAt' | 'lineage' | 'keyId'

/** The origin of a draft beside the current event: further causes, and answers to earlier events. */
export interface Origin {
  /** Ids of further causes; the runtime puts the current event first. */
  readonly causes: readonly string[]
  /** Keys of its recorded answers. */
  readonly completions: readonly string[]
  /** `rules`, or the model that answered. */
  readonly method: string
}

type WithoutEnvelope<E> = E extends DerivedRecord ? Omit<E, Envelope> & { readonly origin: Origin } : never

/** A derived event in the form that a step returns. */
export type Draft<E extends DerivedRecord = DerivedRecord> = WithoutEnvelope<E>
