/** The decisions of a plan on one fact, resolved from labels to documents and entries. */

import type { Decision } from './changes.ts'
import type { EntryRef } from './state.ts'

/** An entry, or an earlier fact of the batch, which has an entry when its successor is recorded. */
export type NamedEntry = { readonly entry: EntryRef } | { readonly fact: string }

/** The decisions on one fact. */
export interface Guidance {
  readonly same: readonly NamedEntry[]
  readonly ends: readonly NamedEntry[]
  /** An offered document, the label and title of a new one, or null: the rules place the fact. */
  readonly document: { readonly id: string } | { readonly opens: string; readonly title: string } | null
  readonly heading: string
  /** Some of its merges or ends are refused: the rules for the values of a slot hold too. */
  readonly isFaulty: boolean
  readonly decided: Decision
}
