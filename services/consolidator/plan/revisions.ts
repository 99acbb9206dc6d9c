/**
 * The rows of a plan that revise the memory beside its facts: new titles, moved entries, the parts of ended entries
 * that still hold, and contradictions. A moved entry is retired as merged into its copy in the other document, so that
 * its lineage stays.
 */

import { terms } from '@loomlog/language/terms'
import { type Effects, get, put } from '@loomlog/runtime/step'
import { type Changes, type Decision, requireDocument, retireEntry, writeEntry } from '../changes.ts'
import { documentWithRoom, type PlacementParameters } from '../documents/placement.ts'
import { headingFor, type OpenedDocuments, rememberTitle } from '../documents/planned-placement.ts'
import { post } from '../documents/postings.ts'
import { factTerms, indexEntry, type PlacedEntry } from '../documents/term-index.ts'
import { lostWords } from '../record/grounded-words.ts'
import { replaceValue } from '../record/retraction.ts'
import {
  currentPlace,
  documents,
  type Entry,
  type EntryRef,
  entries,
  entryKey,
  mergedInto,
  placedFacts,
} from '../state.ts'
import type { Plan } from './plan.ts'
import type { PlanAsk } from './plan-ask.ts'
import { headingIn } from './plan-rows.ts'

interface Revision {
  readonly planAsk: PlanAsk
  readonly plan: Plan
  readonly opened: OpenedDocuments
}

export function* revise(
  changes: Changes,
  { planAsk, plan, opened }: Revision,
  parameters: PlacementParameters,
): Effects<{ readonly refused: number; readonly contradictions: number }> {
  const { decided, rows } = plan
  const documentOf = (label: string) => planAsk.documents.get(label) ?? opened.get(label) ?? null
  let refused = 0
  for (const { entry: label, text } of rows.rests) {
    const placed = planAsk.entries.get(label) ?? (yield* writtenFor(changes, planAsk, label))
    if (placed === null || !(yield* keepRest(changes, placed, { text, decided }))) refused++
  }
  for (const { entry: label, document, heading } of rows.moves) {
    const [placed, to] = [planAsk.entries.get(label), documentOf(document)]
    const isMoved = placed && to !== null && (yield* move(changes, placed.place, { to, heading, decided }, parameters))
    if (!isMoved) refused++
  }
  for (const [label, { title, holds }] of rows.retitles) {
    const id = documentOf(label)
    if (id === null || title === '') refused++
    else yield* retitle(changes, id, { title, holds, decided })
  }
  const isKnown = (label: string) => planAsk.entries.has(label) || isFact(planAsk, label)
  const contradictions = rows.contradictions.filter((labels) => labels.every(isKnown)).length
  return { refused: refused + rows.contradictions.length - contradictions, contradictions }
}

/** The entry that a fact of the batch became; null: none. */
function* writtenFor(changes: Changes, { facts, input }: PlanAsk, label: string): Effects<PlacedEntry | null> {
  const fact = facts[input.facts.findIndex((each) => each.label === label)]
  const placed = fact === undefined ? null : yield* get(placedFacts, fact.id)
  if (placed === null || placed === 'retracted') return null
  const entry = changes.written.get(placed.place.entry)
  return entry === undefined ? null : { place: placed.place, entry }
}

function isFact({ input }: PlanAsk, label: string): boolean {
  return input.facts.some((fact) => fact.label === label)
}

/** Writes the part of an entry that its end leaves, in the entry's own words. */
function* keepRest(
  changes: Changes,
  { place, entry }: PlacedEntry,
  { text, decided }: { readonly text: string; readonly decided: Decision },
): Effects<boolean> {
  const isOver = changes.gone.has(place.entry) && (yield* get(mergedInto, place.entry)) === null
  const said = { text: entry.text, kind: entry.factKind, when: entry.when }
  const own = new Set(terms(entry.text))
  const isWithin = terms(text).every((word) => own.has(word)) && lostWords({ ...said, text }, said).length === 0
  if (!isOver || !isWithin || text === entry.text) return false
  const words = { text, slot: null }
  const twin = entry.twin && (yield* twinOf(changes, entry.twin, { entry: { ...entry, ...words }, decided }))
  const rest: Entry = { ...entry, ...words, twin }
  const written = yield* writeEntry(changes, place.document, rest, decided)
  yield* index(changes, rest, written)
  // A retraction of one of its facts reaches the rest.
  for (const fact of entry.facts) {
    const placed = yield* get(placedFacts, fact)
    if (placed !== null && placed !== 'retracted') yield* put(placedFacts, fact, { ...placed, place: written, twin })
  }
  return true
}

function* twinOf(
  changes: Changes,
  { document }: EntryRef,
  { entry, decided }: { readonly entry: Entry; readonly decided: Decision },
): Effects<EntryRef> {
  const how = { kind: 'profile' as const, isOneOfSeveral: true, slot: null, twin: null }
  return yield* writeEntry(changes, document, { ...entry, ...how }, decided)
}

interface EntryMove {
  readonly to: string
  readonly heading: string
  readonly decided: Decision
}

function* move(
  changes: Changes,
  shown: EntryRef,
  { to, heading, decided }: EntryMove,
  parameters: PlacementParameters,
): Effects<boolean> {
  const place = yield* currentPlace(shown)
  const entry = yield* get(entries, entryKey(place))
  if (entry === null) return false
  const isSame = to === place.document
  const document = isSame ? to : yield* documentWithRoom(to, entry.facts[0] ?? place.entry, parameters)
  const named = heading === '' ? entry : headingIn(heading)
  const { factKind: kind } = entry
  const guidance = { ...named, hasStateBeside: false }
  const moved = { ...entry, ...(yield* headingFor({ kind }, { document, guidance, over: [{ place, entry }] })) }
  const written = yield* writeEntry(changes, document, moved, decided)
  yield* retireEntry(changes, { place, by: written, reason: 'merged', validTo: entry.validFrom }, decided)
  yield* replaceValue(place, entry, { place: written, entry: moved })
  yield* index(changes, moved, written)
  return true
}

function* index(changes: Changes, entry: Entry, place: EntryRef): Effects<void> {
  yield* indexEntry(entry, factTerms(entry), place, changes.gone)
  yield* post(entry, place, changes.gone)
}

function* retitle(
  changes: Changes,
  id: string,
  { title, holds, decided }: { readonly title: string; readonly holds: string; readonly decided: Decision },
): Effects<void> {
  const before = yield* requireDocument(id)
  const { by: describedBy, completions } = decided
  const summary = holds || (before.describedBy === 'rules' ? '' : before.summary)
  yield* put(documents, id, { ...before, title, summary, describedBy, completions })
  yield* rememberTitle(id, { title, holds })
  changes.changed.add(id)
  changes.retitled.add(id)
}
