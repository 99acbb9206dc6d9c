/**
 * What one event brings about, as it comes together: the drafts in order, and the documents that are different now. Entries are
 * written and retired here and nowhere else, so that a document's count of entries is always right.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import type {
  DocumentDescribed,
  Draft,
  EntryRetired,
  EntryWritten,
  Origin,
  RetireReason,
} from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { type Document, documents, type Entry, entries, entryKey, mergedInto, type Place } from './state.ts'

export type ConsolidatorEvent = EntryWritten | EntryRetired | DocumentDescribed

export interface Changes {
  /** The id of the event at hand, which ids are made from. */
  readonly cause: string
  readonly drafts: Draft<ConsolidatorEvent>[]
  readonly changed: Set<string>
  /** Entries that were retired. */
  readonly gone: Set<string>
  /** Documents that must not show any longer what they did: described at once, and their entries retitled. */
  readonly cleaned: Set<string>
}

export function noChanges(cause: string): Changes {
  return { cause, drafts: [], changed: new Set(), gone: new Set(), cleaned: new Set() }
}

/** Where a decision comes from. */
export interface Decided {
  readonly by: string
  readonly completions: readonly string[]
}

export const byRules: Decided = { by: 'rules', completions: [] }

/** Writes it as holding now; what is found to be over already is retired afterwards, like any other. */
export function* writeEntry(changes: Changes, document: string, entry: Entry, decided: Decided): Effects<Place> {
  const { title, entity } = yield* existing(document)
  const place = { document, entry: derivedId('consolidator', changes.cause, changes.drafts.length) }
  const { kind, heading, text, when, validFrom, speaker, role, facts, sources } = entry
  const origin = originOf(decided, facts)
  const words = { kind, title: entity ?? title, heading, text, when, validFrom, speaker, role }
  changes.drafts.push({ type: 'EntryWritten', document, ...words, facts, sources, origin })
  yield* put(entries, entryKey(place), entry)
  yield* recount(changes, document, 1)
  return place
}

export interface Retirement {
  readonly place: Place
  readonly by: Place | null
  readonly reason: RetireReason
  readonly validTo: number
}

/** One that is over already gets another end; its document stays as it is. */
export function* retireEntry(changes: Changes, retirement: Retirement, decided: Decided): Effects<void> {
  const { place, by, reason, validTo } = retirement
  const { document, entry } = place
  const held = yield* get(entries, entryKey(place))
  const origin = originOf(decided, held?.facts ?? [])
  changes.drafts.push({ type: 'EntryRetired', document, entry, by: by?.entry ?? null, reason, validTo, origin })
  if (by !== null && reason === 'merged') yield* put(mergedInto, entry, by)
  if (held === null) return
  yield* put(entries, entryKey(place), null)
  changes.gone.add(entry)
  yield* recount(changes, document, -1)
}

export function* existing(document: string): Effects<Document> {
  const known = yield* get(documents, document)
  if (known === null) throw new Error(`no document ${document}`)
  return known
}

function* recount(changes: Changes, id: string, by: 1 | -1): Effects<void> {
  const document = yield* existing(id)
  yield* put(documents, id, { ...document, entries: document.entries + by })
  changes.changed.add(id)
}

function originOf({ by, completions }: Decided, causes: readonly string[]): Origin {
  return { method: by, completions, causes }
}
