/** The input and the answer of the task. They hold content only, as text under local labels, with full dates; a row is one line. */

export type BatchInput = {
  /** Topic documents (`d1 title: summary`), and profiles of the batch's persons (`p1 name: summary`). */
  readonly documents: readonly string[]
  /** Current entries that a fact may repeat or replace: `e1 2023-05-07 text`. */
  readonly entries: readonly string[]
  /** The facts: `f1 2023-05-07 state text`. */
  readonly facts: readonly string[]
  /** Merges of the first plan that lose words; absent in the first ask. */
  readonly refused?: readonly string[]
}

/** The decisions on one fact, by labels. */
export type PlannedFact = {
  readonly f: string
  /** A document's label, or that of a new one: n1. */
  readonly d: string
  readonly heading: string
  /** Entries, or earlier facts of the batch, that it repeats. */
  readonly same: readonly string[]
  /** Entries, or earlier facts of the batch, that it ends. */
  readonly ends: readonly string[]
}

export type BatchPlan = {
  readonly facts: readonly PlannedFact[]
  readonly titles: readonly { readonly d: string; readonly title: string }[]
  readonly summaries: readonly { readonly d: string; readonly summary: string }[]
}
