/** The decisions of a plan on one fact, resolved from labels to documents and entries. */

import { type Effects, get } from '@loomlog/runtime/step'
import type { Decision } from '../changes.ts'
import type { PlacedEntry } from '../documents/term-index.ts'
import { currentPlace, type EntryRef, entries, entryKey, placedFacts } from '../state.ts'
import type { PlannedTitle } from './plan-rows.ts'

/** An entry, or another fact of the batch, which has an entry as soon as it is recorded. */
export type NamedEntry = { readonly entry: EntryRef } | { readonly fact: string }

/** An offered document; the label and the words of a new one; null: none. */
export type PlannedDocument = { readonly id: string } | ({ readonly opens: string } & PlannedTitle) | null

/** The decisions on one fact. In a batch with a plan each fact has guidance, also one that the plan leaves out. */
export interface Guidance {
  readonly same: readonly NamedEntry[]
  readonly ends: readonly NamedEntry[]
  /** Null: the fact goes into the nearest document, or into the one of unsorted facts. */
  readonly document: PlannedDocument
  /** '': a default by the kind of the fact. */
  readonly heading: string
  readonly isOneOfSeveral: boolean
  /** Words with which one may look for what stands under the heading. */
  readonly askedAs: readonly string[]
  /** For an event: a state of the batch under the same heading is the answer, so the event stands beside it. */
  readonly hasStateBeside: boolean
  readonly decided: Decision
}

/** The entries that a plan names, as they are now; entries that have ended are left out. */
export function* namedEntries(named: readonly NamedEntry[]): Effects<readonly PlacedEntry[]> {
  const found = new Map<string, PlacedEntry>()
  for (const each of named) {
    const placed = 'fact' in each ? yield* get(placedFacts, each.fact) : { place: each.entry }
    if (placed === null || placed === 'retracted') continue
    const place = yield* currentPlace(placed.place)
    const entry = yield* get(entries, entryKey(place))
    if (entry !== null) found.set(place.entry, { place, entry })
  }
  return [...found.values()]
}
