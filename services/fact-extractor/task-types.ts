/** The input and the answer of the task. They hold content only: lines under local labels, their times, and the lines before them. */
import type { FactKind, Role } from '@loomlog/schemas/events'
import type { ContextLine } from './state.ts'

/** The lines of a window that belong to one conversation. */
export type ConversationLines = {
  readonly lines: readonly {
    readonly label: string
    readonly speaker: string
    readonly role: Role
    /** ISO 8601, UTC. */
    readonly said: string
    readonly text: string
    /** Descriptions of the attachments. */
    readonly shown: readonly string[]
  }[]
  readonly before: readonly ContextLine[]
  readonly participants: readonly string[]
  /** Of the last line before these; null: unknown so far. A model gets neither the language nor the participants. */
  readonly language: string | null
}

/** Labels are unique in a window. */
export type WindowLines = {
  readonly stretches: readonly ConversationLines[]
  /** Facts of an earlier answer with words that their lines lack: only these are asked for. */
  readonly refused?: readonly string[]
}

export type ExtractedFact = {
  readonly text: string
  readonly kind: FactKind
  readonly subject: string
  readonly relation: string
  readonly object: string
  /** ISO dates or times; `to` is exclusive. */
  readonly when: { readonly from: string; readonly to: string; readonly text: string } | null
  readonly location: string | null
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly keywords: readonly string[]
  /** Labels of the restated lines. */
  readonly sources: readonly string[]
}

/** The facts of rules, or the rows of a model. */
export type FactAnswer = { readonly facts: readonly ExtractedFact[] } | { readonly rows: readonly string[] }
