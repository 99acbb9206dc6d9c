/** What two generations are compared by: the memory of one space as it holds now, in the least that tells one from the other. */

export interface Box {
  readonly id: string
  readonly conversation: string
  /** In their order; at least one. */
  readonly utterances: readonly { readonly id: string; readonly seq: number }[]
  readonly topic: string
}

/** A fact, an event or a line of a document. */
export interface Statement {
  readonly id: string
  readonly text: string
  /** Ids of the utterances it goes back to. */
  readonly sources: readonly string[]
  /** Where it stands: a document's title and a heading; '' where it stands nowhere. */
  readonly under: string
}

/** An event after another one in a trace; `previous: null` begins it. */
export interface Link {
  readonly id: string
  readonly event: string
  readonly previous: string | null
  readonly title: string
}

export interface SpaceMemory {
  readonly boxes: readonly Box[]
  readonly facts: readonly Statement[]
  readonly events: readonly Statement[]
  readonly links: readonly Link[]
  readonly topicLines: readonly Statement[]
  readonly profileLines: readonly Statement[]
}

export const kinds = ['boundary', 'fact', 'event', 'link', 'document line', 'profile line'] as const
export type Kind = (typeof kinds)[number]

/**
 * `reworded`: another text from the same evidence that says about the same. `moved`: a boundary that stands a few utterances on, or a
 * line under another heading or title.
 */
export const changes = ['added', 'removed', 'reworded', 'moved'] as const
export type What = (typeof changes)[number]

export interface Side {
  readonly id: string
  readonly text: string
}

export interface Change {
  readonly kind: Kind
  readonly what: What
  /** Null: there was none. */
  readonly before: Side | null
  /** Null: there is none any more. */
  readonly after: Side | null
}

export type Counts = { readonly [what in What | 'same']: number }
