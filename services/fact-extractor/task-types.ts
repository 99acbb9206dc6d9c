/**
 * The input and the answer of the task. They hold content only: lines under local labels, their times, and the lines
 * before them.
 */
import type { EventTime, FactKind, Role } from '@loomlog/schemas/events'
import type { ContextLine } from './state.ts'

/** The lines of a conversation on a day, with those before the window. */
export type DayLines = {
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
  /** Empty unless the day is the first one of its conversation. */
  readonly before: readonly ContextLine[]
  readonly participants: readonly string[]
  /**
   * Of the last line before the window; null: unknown so far. A model gets neither the language nor the participants.
   */
  readonly language: string | null
}

/**
 * The lines of a window, in the order of time. Boxes don't show, so that a moved boundary inside of the window asks
 * nothing again.
 */
export type WindowLines = { readonly days: readonly DayLines[] }

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
