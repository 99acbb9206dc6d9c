/**
 * The consolidator (Infini Memory; profiles from TriMem): each fact becomes an entry of one topic document, and, if it is a lasting
 * statement about a person, of that person's profile. Repetitions are merged. Outdated entries are superseded in the order of event
 * time, regardless of the order of arrival. A retracted fact leaves no trace in current entries.
 *
 * Every fact is in the `facts` of an entry. An agent's fact never enters a person's profile, and never ends a person's entry. A person's
 * correction replaces the fact that it corrects, and ranks above derived facts.
 */

import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Effects, get, put, type Step } from '@loomlog/runtime/step'
import type { Draft, EvidenceRetracted, FactRecorded, FactRetracted } from '@loomlog/schemas/events'
import { factTerms, noteDocument, noteEntry, type PlacedEntry } from './buckets.ts'
import { type Changes, type ConsolidatorEvent, type Decision, noChanges, retireEntry, writeEntry } from './changes.ts'
import { describeChanged } from './descriptions.ts'
import { statementOf } from './merged-entry.ts'
import { type PlaceParameters, profileOf, room, type Target, topicFor } from './placement.ts'
import { profileHeading } from './profile-headings.ts'
import { rankOf, trust } from './rank.ts'
import { heldAt, type Reconciliation, reconcile, validFrom } from './reconciliation.ts'
import { retractFact, type Vacancy } from './retraction.ts'
import {
  citing,
  type Entry,
  type EntryRef,
  entries,
  entryKey,
  maxSources,
  type PlacedFact,
  placedFacts,
} from './state.ts'
import { supersede } from './supersession.ts'

export type Parameters = PlaceParameters & {
  /** The share of words that two entries must have in common to say the same, by rules. */
  readonly sameShare: number
  /** The number of changes between two descriptions of a document; in between its title and summary stay, and the count is right. */
  readonly describeEvery: number
}

export type Input = FactRecorded | FactRetracted | EvidenceRetracted

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<ConsolidatorEvent>> {
  const changes = noChanges(event.id)
  if (event.type === 'FactRecorded') yield* record(changes, event, parameters)
  if (event.type === 'FactRetracted') yield* retractFact(changes, event.fact)
  // An undo reaches this stage through retracted facts, unless it names this derivation.
  if (event.type === 'EvidenceRetracted' && event.derivation === derivation) yield* undo(changes, event)
  yield* describeChanged(changes, parameters.describeEvery)
  return changes.drafts
}

function* undo(changes: Changes, { utterances }: EvidenceRetracted): Effects<void> {
  const facts = new Set<string>()
  for (const utterance of utterances) for (const fact of (yield* get(citing, utterance)) ?? []) facts.add(fact)
  for (const fact of facts) yield* retractFact(changes, fact)
}

function* record(changes: Changes, fact: SequencedEvent<FactRecorded>, parameters: Parameters): Effects<void> {
  if ((yield* get(placedFacts, fact.id)) !== null) return
  // First, so that a replaced fact is neither compared with its correction nor left beside it.
  const vacancies: (Vacancy | null)[] = []
  for (const replaced of fact.correction?.replaced ?? []) vacancies.push(yield* retractFact(changes, replaced))
  const vacancy = vacancies.find((each) => each !== null) ?? null
  const words = factTerms(fact)
  const reconciled = yield* reconcile(fact, words, parameters.sameShare)
  const slots = slotsOf(reconciled)
  const target = yield* targetOf(fact, { reconciled, vacancy }, parameters)
  const statement = statementOf(fact, reconciled.same, { heading: target.heading, slot: slots[0] ?? null })

  const place = yield* writeEntry(changes, target.document, statement, target.decided)
  const twin = yield* profile(changes, { fact, statement, reconciled, vacancy }, parameters)
  if (twin !== null) yield* put(entries, entryKey(place), { ...statement, twin })
  yield* merge(changes, reconciled, { place, twin })
  yield* supersede(changes, { ...reconciled, slots }, { ...statement, place, twin })
  yield* rememberPlacement(fact, { place, twin })

  if (!changes.gone.has(place.entry)) yield* noteEntry(fact, words, place, changes.gone)
  yield* noteDocument(fact, parameters, place.document)
}

/** Keeps the fields that a retraction of this fact, or of one that it is merged with, needs. */
function* rememberPlacement(fact: FactRecorded, places: Pick<PlacedFact, 'place' | 'twin'>): Effects<void> {
  const { text, kind: factKind, when, speaker, role, subject, keywords, sources } = fact
  const fields = { text, factKind, when, speaker, role, subject, keywords, sources, rank: rankOf(fact) }
  yield* put(placedFacts, fact.id, { ...places, ...fields, validFrom: validFrom(fact), heldAt: heldAt(fact) })
  for (const source of sources) {
    yield* put(citing, source, [...((yield* get(citing, source)) ?? []), fact.id].slice(-maxSources))
  }
}

/** The slots of the fact; the first one goes into its entry. */
function slotsOf({ same, replaces, slot }: Reconciliation): readonly string[] {
  const kept = same.map(({ entry }) => entry.slot)
  const joined = replaces.map(({ place, entry }) => entry.slot ?? `~${place.entry}`)
  return [...new Set([slot, ...kept, ...joined])].filter((each) => each !== null)
}

/** A repetition goes to the entry that it repeats, a new value to the document and heading of the old one. */
function* targetOf(
  fact: FactRecorded,
  { reconciled, vacancy }: { readonly reconciled: Reconciliation; readonly vacancy: Vacancy | null },
  parameters: Parameters,
): Effects<Target> {
  const { same, replaces, decided } = reconciled
  const before: PlacedEntry | undefined = same[0] ?? replaces[0]
  if (before) {
    const { heading, role } = before.entry
    // A less trusted fact doesn't replace the entry, so it needs room beside it.
    const beside = trust(fact.role) < trust(role) && same.length === 0
    const document = beside ? yield* room(before.place.document, fact, parameters) : before.place.document
    return { document, heading, decided }
  }
  // A correction gets the place of the fact that it corrects.
  if (vacancy) {
    return { document: yield* room(vacancy.document, fact, parameters), heading: vacancy.heading, decided }
  }
  const target = yield* topicFor(fact, parameters)
  const completions = [...new Set([...decided.completions, ...target.decided.completions])]
  return { ...target, decided: { by: target.decided.by, completions } }
}

interface ProfileInput {
  readonly fact: FactRecorded
  readonly statement: Entry
  readonly reconciled: Reconciliation
  readonly vacancy: Vacancy | null
}

/** The entry in the profile of the fact's subject; null if the fact belongs in no profile. */
function* profile(changes: Changes, input: ProfileInput, parameters: Parameters): Effects<EntryRef | null> {
  const { fact, statement, reconciled, vacancy } = input
  // An agent's repetition leaves the person's entry unchanged.
  if (trust(fact.role) === 0) return reconciled.same.find(({ entry }) => entry.twin !== null)?.entry.twin ?? null
  const before = [...reconciled.same, ...reconciled.replaces].find(
    ({ entry }) => entry.twin !== null && entry.subject === fact.subject,
  )?.entry.twin
  const heading = before
    ? yield* headingOf(before)
    : (vacancy?.profileHeading ?? (isPerson(fact) && profileHeading(fact)))
  if (!heading) return null
  const document = yield* profileOf(fact.subject, parameters)
  const earlier: PlacedEntry[] = []
  for (const { entry } of reconciled.same) {
    const place = entry.twin
    const held = place && (yield* get(entries, entryKey(place)))
    if (place && held) earlier.push({ place, entry: held })
  }
  const twin = { ...statementOf(fact, earlier, { heading, slot: null }), kind: 'profile' as const }
  return yield* writeEntry(changes, document, { ...twin, validFrom: statement.validFrom }, reconciled.decided)
}

function* headingOf(place: EntryRef): Effects<string | null> {
  return (yield* get(entries, entryKey(place)))?.heading ?? null
}

/** Retires the merged entries from their beginning, because the new entry covers their whole time. */
function* merge(
  changes: Changes,
  { same, decided }: { readonly same: readonly PlacedEntry[]; readonly decided: Decision },
  by: { readonly place: EntryRef; readonly twin: EntryRef | null },
): Effects<void> {
  for (const { place, entry } of same) {
    const how = { reason: 'merged', validTo: entry.validFrom } as const
    yield* retireEntry(changes, { place, by: by.place, ...how }, decided)
    if (entry.twin === null || entry.twin.entry === by.twin?.entry) continue
    yield* retireEntry(changes, { place: entry.twin, by: by.twin, ...how }, decided)
  }
}

function isPerson({ subject, speaker, persons }: FactRecorded): boolean {
  return [speaker, ...persons].some((name) => name.toLowerCase() === subject.toLowerCase())
}
