/** The input and the answer of the task. They hold content only: lines under local labels, their times, and the lines before them. */
import type { EventTime, FactKind, Role } from '@loomlog/schemas/events'
import type { ContextLine } from './state.ts'

/** The lines of a box, with those of its conversation before the window. */
export type BoxLines = {
  readonly conversation: string
  readonly lines: readonly {
    /** Unique in the window. */
    readonly label: string
    readonly speaker: string
    readonly role: Role
    /** ISO 8601, UTC. */
    readonly said: string
    readonly text: string
    /** Descriptions of the attachments. */
    readonly shown: readonly string[]
  }[]
  /** Empty unless the box is the first one of its conversation. */
  readonly before: readonly ContextLine[]
  readonly participants: readonly string[]
  /** Of the last line before the window; null: unknown so far. A model gets neither the language nor the participants. */
  readonly language: string | null
}

/** Boxes in the order of their first lines. */
export type WindowLines = { readonly boxes: readonly BoxLines[] }

export type ExtractedFact = {
  readonly text: string
  readonly kind: FactKind
  readonly subject: string
  readonly relation: string
  readonly object: string
  readonly when: EventTime | null
  readonly location: string | null
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly keywords: readonly string[]
  /** Labels of the restated lines. */
  readonly sources: readonly string[]
}

/** The facts of rules, or the rows of a model. */
export type FactAnswer = { readonly facts: readonly ExtractedFact[] } | { readonly rows: readonly string[] }
