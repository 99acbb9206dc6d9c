/**
 * The outputs of one event while the step collects them: the drafts in order, and the changed documents. Only this file
 * writes and retires entries, so that a document's count of entries is always right.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import type {
  BatchConsolidated,
  DocumentDescribed,
  Draft,
  EntryRetired,
  EntryWritten,
  Origin,
  RetireReason,
} from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { type Document, documents, type Entry, type EntryRef, entries, entryKey, mergedInto } from './state.ts'

export type ConsolidatorEvent = EntryWritten | EntryRetired | DocumentDescribed | BatchConsolidated

export interface Changes {
  /** The id of the current event, from which ids are derived. */
  readonly cause: string
  readonly drafts: Draft<ConsolidatorEvent>[]
  readonly changed: Set<string>
  /** Retired entries. */
  readonly gone: Set<string>
  /** Documents that showed a retracted fact: they are described again, and their entries get the new title. */
  readonly cleaned: Set<string>
  /** Documents with a new title, which their entries get. */
  readonly retitled: Set<string>
  /** The entries that were written, by id. */
  readonly written: Map<string, Entry>
  /** The entries that were merged into others. */
  readonly merged: { readonly entry: Entry; readonly id: string; readonly by: string }[]
}

export function emptyChanges(cause: string): Changes {
  const documents = { changed: new Set<string>(), cleaned: new Set<string>(), retitled: new Set<string>() }
  return { cause, drafts: [], ...documents, gone: new Set(), written: new Map(), merged: [] }
}

/** The origin of a decision: rules or a model, with its recorded answers. */
export interface Decision {
  readonly by: string
  readonly completions: readonly string[]
}

export const byRules: Decision = { by: 'rules', completions: [] }

/** Writes a current entry. If a later value is already known, `supersede` retires the entry afterwards. */
export function* writeEntry(changes: Changes, document: string, entry: Entry, decided: Decision): Effects<EntryRef> {
  const { title, entity } = yield* requireDocument(document)
  const place = { document, entry: derivedId('consolidator', changes.cause, changes.drafts.length) }
  const { kind, heading, isOneOfSeveral, askedAs, text, when, validFrom, until, saidAt } = entry
  const { factKind, speaker, role, facts, sources } = entry
  const origin = originOf(decided, facts)
  const words = { kind, title: entity ?? title, heading, isOneOfSeveral, askedAs, text, factKind, speaker, role }
  const times = { when, validFrom, until, saidAt }
  changes.drafts.push({ type: 'EntryWritten', document, ...words, ...times, facts, sources, origin })
  yield* put(entries, entryKey(place), entry)
  changes.written.set(place.entry, entry)
  yield* recount(changes, document, 1)
  return place
}

export interface Retirement {
  readonly place: EntryRef
  readonly by: EntryRef | null
  readonly reason: RetireReason
  readonly validTo: number
}

/** If the entry is already retired, only its end changes: its document stays the same. */
export function* retireEntry(changes: Changes, retirement: Retirement, decided: Decision): Effects<void> {
  const { place, by, reason, validTo } = retirement
  const { document, entry } = place
  const held = yield* get(entries, entryKey(place))
  const origin = originOf(decided, held?.facts ?? [])
  changes.drafts.push({ type: 'EntryRetired', document, entry, by: by?.entry ?? null, reason, validTo, origin })
  if (by !== null && reason === 'merged') yield* put(mergedInto, entry, by)
  if (held === null) return
  if (by !== null && reason === 'merged') changes.merged.push({ entry: held, id: entry, by: by.entry })
  yield* put(entries, entryKey(place), null)
  changes.gone.add(entry)
  yield* recount(changes, document, -1)
}

export function* requireDocument(document: string): Effects<Document> {
  const known = yield* get(documents, document)
  if (known === null) throw new Error(`no document ${document}`)
  return known
}

function* recount(changes: Changes, id: string, by: 1 | -1): Effects<void> {
  const document = yield* requireDocument(id)
  yield* put(documents, id, { ...document, entries: document.entries + by })
  changes.changed.add(id)
}

function originOf({ by, completions }: Decision, causes: readonly string[]): Origin {
  return { method: by, completions, causes }
}
