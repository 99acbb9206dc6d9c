/**
 * The events as TypeScript sees them. The interfaces come from the .avsc files (`generated/events.ts`); here stand the unions
 * that code speaks of, and the part of a derived event that a processor writes itself.
 */
import type { DerivedEvent, SourceEvent, SystemEvent } from './generated/events.ts'

export type * from './generated/events.ts'

/** What may flow through a space, in its order: what people did, and what was derived from it. */
export type SpaceEvent = SourceEvent | DerivedEvent

export type LoomEvent = SpaceEvent | SystemEvent

/** Fields that the runtime fills in, the same way for every derived event. */
type Envelope = 'id' | 'tenant' | 'space' | 'seq' | 'ordinal' | 'knownAt' | 'lineage' | 'keyId'

/** Where a draft comes from, beyond the event at hand: further causes, and answers given to earlier events. */
export interface Origin {
  /** Ids of events it came from, besides the event at hand, which comes first by itself. */
  readonly causes: readonly string[]
  /** Keys of the recorded answers it used. */
  readonly completions: readonly string[]
  /** `rules`, or the model that answered. */
  readonly method: string
}

type WithoutEnvelope<E> = E extends DerivedEvent ? Omit<E, Envelope> & { readonly origin: Origin } : never

/** A derived event as a step returns it. */
export type Draft<E extends DerivedEvent = DerivedEvent> = WithoutEnvelope<E>
