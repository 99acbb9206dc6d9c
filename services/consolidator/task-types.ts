/** The inputs and answers of the tasks. They hold content only: facts, entries and documents as text under local labels, with full dates. */
import type { FactKind } from '@loomlog/schemas/events'

export type PlaceInput = {
  readonly fact: { readonly text: string; readonly subject: string; readonly keywords: readonly string[] }
  /** The most similar first. */
  readonly documents: readonly { readonly label: string; readonly title: string; readonly summary: string }[]
  /** The document by words alone: a label, or `new`. */
  readonly nearest: string
}

/** `title` names a new document; empty for an existing one. */
export type Placement = { readonly document: string; readonly title: string; readonly heading: string }

export type Statement = {
  readonly text: string
  readonly kind: FactKind
  /** The slot, of which one value holds at a time: maya|lives in. */
  readonly slot: string | null
  /** The first day on which it holds: 2023-05-07. */
  readonly from: string
}

export type ReconcileInput = {
  readonly fact: Statement
  readonly entries: readonly (Statement & { readonly label: string })[]
}

export type Verdict = { readonly same: readonly string[]; readonly replaces: readonly string[] }

export type DescribeInput = {
  readonly kind: 'topic' | 'profile'
  /** The person of the profile, or the main subjects of the topic. */
  readonly subjects: readonly string[]
  readonly keywords: readonly string[]
  /** The newest entries, in the order of time. */
  readonly entries: readonly { readonly heading: string; readonly text: string; readonly from: string }[]
  /** The number of all entries. */
  readonly total: number
}

export type Description = { readonly title: string; readonly summary: string }
