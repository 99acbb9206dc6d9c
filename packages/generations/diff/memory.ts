/** The current memory of one space, reduced to the fields by which two generations are compared. */

export interface Box {
  readonly id: string
  readonly conversation: string
  /** At least one, in order. */
  readonly utterances: readonly { readonly id: string; readonly seq: number }[]
  readonly topic: string
}

/** A fact or a line of a document. */
export interface Statement {
  readonly id: string
  readonly text: string
  /** Ids of the utterances that it rests on. */
  readonly sources: readonly string[]
  /** The document's title and the heading above it; '' for a statement outside documents. */
  readonly under: string
}

/** A fact after another one in a trace; `previous: null` begins it. */
export interface Link {
  readonly id: string
  readonly event: string
  readonly previous: string | null
  readonly title: string
}

export interface SpaceMemory {
  readonly boxes: readonly Box[]
  readonly facts: readonly Statement[]
  readonly links: readonly Link[]
  readonly topicLines: readonly Statement[]
  readonly profileLines: readonly Statement[]
}

export const diffKinds = ['boundary', 'fact', 'link', 'document line', 'profile line'] as const
export type DiffKind = (typeof diffKinds)[number]

/**
 * `reworded`: another text from the same evidence with about the same meaning. `moved`: a boundary shifted by a few
 * utterances, or a line under another heading or title.
 */
export const changeTypes = ['added', 'removed', 'reworded', 'moved'] as const
export type ChangeType = (typeof changeTypes)[number]

export interface DiffSide {
  readonly id: string
  readonly text: string
}

export interface Change {
  readonly kind: DiffKind
  readonly what: ChangeType
  /** Null: added. */
  readonly before: DiffSide | null
  /** Null: removed. */
  readonly after: DiffSide | null
}

export type ChangeCounts = { readonly [what in ChangeType | 'same']: number }
