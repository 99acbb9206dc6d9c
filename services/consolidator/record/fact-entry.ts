/**
 * Records one fact, by the guidance of a plan or by rules: its entry in a topic document, and, if it is a lasting
 * statement about a person, its twin in that person's profile. Repetitions are merged; outdated entries end in the
 * order of event time, regardless of the order of arrival.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import { type Changes, type Decision, retireEntry, writeEntry } from '../changes.ts'
import {
  documentWithRoom,
  type Placement,
  type PlacementParameters,
  profileOf,
  topicFor,
} from '../documents/placement.ts'
import { headingFor, knownTopic, type OpenedDocuments, plannedTopic } from '../documents/planned-placement.ts'
import { post } from '../documents/postings.ts'
import { profileHeading } from '../documents/profile-headings.ts'
import { factTerms, indexDocument, indexEntry, type PlacedEntry } from '../documents/term-index.ts'
import type { Guidance } from '../plan/guidance.ts'
import { type Entry, type EntryRef, entries, entryKey, type Fact, type PlacedFact, placedFacts } from '../state.ts'
import { endByPlan } from './endings.ts'
import { mergedEntry } from './merged-entry.ts'
import { rankOf, trust } from './rank.ts'
import { heldAt, type Reconciliation, reconcile, validFrom } from './reconciliation.ts'
import { retractFact, type Vacancy } from './retraction.ts'
import { supersede } from './supersession.ts'

export type RecordParameters = PlacementParameters & {
  /** The share of words that two entries must have in common to say the same, by rules. */
  readonly sameShare: number
}

/** A fact outside of any batch has no guidance and opens no document of a plan. */
export interface FactContext {
  readonly guidance: Guidance | null
  readonly opened: OpenedDocuments
  /** Entries that a correction ends when the fact begins. */
  readonly ended?: readonly PlacedEntry[]
  /** The fact has a time span of its own, so it is merged with no entry. */
  readonly isApart?: true
}

/** @returns the number of merges and endings that were refused */
export function* recordFact(
  changes: Changes,
  fact: Fact,
  { guidance, opened, ended = [], isApart }: FactContext,
  parameters: RecordParameters,
): Effects<number> {
  if ((yield* get(placedFacts, fact.id)) !== null) return 0
  // Replaced facts are retracted first, so that none is compared with its correction or left beside it.
  const vacancies: (Vacancy | null)[] = []
  for (const replaced of fact.correction?.replaced ?? []) vacancies.push(yield* retractFact(changes, replaced))
  const vacancy = vacancies.find((each) => each !== null) ?? null
  const words = factTerms(fact)
  const { sameShare } = parameters
  const found = yield* reconcile(fact, words, { sameShare, guidance, topic: guidance && knownTopic(guidance, opened) })
  const reconciled = ending(ended, isApart ? { ...found, same: [] } : found)
  const slots = slotsOf(reconciled)
  const target = yield* targetOf(fact, { reconciled, vacancy, guidance, opened }, parameters)
  const statement = mergedEntry(fact, reconciled.same, { ...target, slot: slots[0] ?? null })

  const place = yield* writeEntry(changes, target.document, statement, target.decided)
  const twin = yield* profile(changes, { fact, statement, reconciled, vacancy }, parameters)
  if (twin !== null) yield* put(entries, entryKey(place), { ...statement, twin })
  yield* merge(changes, reconciled, { place, twin })
  const { ends, decided } = reconciled
  const refusedEnds = yield* endByPlan(changes, { fact, ends, by: { place, twin }, decided })
  yield* supersede(changes, { ...reconciled, slots, ended: entryIds(ended) }, { ...statement, place, twin })
  yield* rememberPlacement(fact, { place, twin })

  if (!changes.gone.has(place.entry)) {
    yield* indexEntry(fact, words, place, changes.gone)
    yield* post({ ...fact, heading: [statement.heading, ...statement.askedAs].join(' ') }, place, changes.gone)
  }
  yield* indexDocument(fact, parameters, place.document)
  return reconciled.refused + refusedEnds
}

/** Entries that a correction ends are replaced, also those with similar words. */
function ending(ended: readonly PlacedEntry[], { same, replaces, ...found }: Reconciliation): Reconciliation {
  const ids = entryIds(ended)
  const isOther = ({ place }: PlacedEntry) => !ids.has(place.entry)
  return { ...found, same: same.filter(isOther), replaces: [...ended, ...replaces.filter(isOther)] }
}

function entryIds(placed: readonly PlacedEntry[]): ReadonlySet<string> {
  return new Set(placed.map(({ place }) => place.entry))
}

/** Keeps the fields that a retraction of this fact, or of one that it is merged with, needs. */
function* rememberPlacement(fact: Fact, places: Pick<PlacedFact, 'place' | 'twin'>): Effects<void> {
  const { text, kind: factKind, when, until, saidAt, speaker, role, subject, keywords, sources } = fact
  const fields = { text, factKind, when, until, saidAt, speaker, role, subject, keywords, sources, rank: rankOf(fact) }
  yield* put(placedFacts, fact.id, { ...places, ...fields, validFrom: validFrom(fact), heldAt: heldAt(fact) })
}

/**
 * The slots of the fact; the first one goes into its entry. A replaced entry without a slot gets a timeline of its own,
 * named `~` and its id.
 */
function slotsOf({ same, replaces, slot }: Reconciliation): readonly string[] {
  const kept = same.map(({ entry }) => entry.slot)
  const joined = replaces.map(({ place, entry }) => entry.slot ?? `~${place.entry}`)
  return [...new Set([slot, ...kept, ...joined])].filter((each) => each !== null)
}

/** A repetition goes to the entry that it repeats; by rules, a new value to the document and heading of the old one. */
function* targetOf(
  fact: Fact,
  {
    reconciled,
    vacancy,
    guidance,
    opened,
  }: FactContext & {
    readonly reconciled: Reconciliation
    readonly vacancy: Vacancy | null
  },
  parameters: RecordParameters,
): Effects<Placement> {
  const { same, replaces, ends, decided } = reconciled
  const before: PlacedEntry | undefined = same[0] ?? (guidance ? undefined : replaces[0])
  if (before) {
    const { heading, isOneOfSeveral, askedAs, role } = before.entry
    // A less trusted fact doesn't replace the entry, so it needs room beside it.
    const beside = trust(fact.role) < trust(role) && same.length === 0
    const document = beside
      ? yield* documentWithRoom(before.place.document, fact.id, parameters)
      : before.place.document
    return { document, heading, isOneOfSeveral, askedAs, decided }
  }
  // A correction gets the place of the fact that it corrects.
  if (vacancy) {
    const { document, heading, isOneOfSeveral, askedAs } = vacancy
    const withRoom = yield* documentWithRoom(document, fact.id, parameters)
    return { document: withRoom, heading, isOneOfSeveral, askedAs, decided }
  }
  if (guidance === null) return yield* topicFor(fact, parameters)
  const document = yield* plannedTopic(fact, { guidance, opened }, parameters)
  return { document, ...(yield* headingFor(fact, { document, guidance, over: [...replaces, ...ends] })), decided }
}

interface ProfileInput {
  readonly fact: Fact
  readonly statement: Entry
  readonly reconciled: Reconciliation
  readonly vacancy: Vacancy | null
}

/**
 * The entry in the profile of the fact's subject, in the words of the topic entry; null if the fact belongs in no
 * profile.
 */
function* profile(changes: Changes, input: ProfileInput, parameters: RecordParameters): Effects<EntryRef | null> {
  const { fact, statement, reconciled, vacancy } = input
  // An agent's repetition leaves the person's entry unchanged.
  if (trust(fact.role) === 0) return reconciled.same.find(({ entry }) => entry.twin !== null)?.entry.twin ?? null
  const before = [...reconciled.same, ...reconciled.replaces, ...reconciled.ends].find(
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
  const { facts, sources } = mergedEntry(fact, earlier, { heading, isOneOfSeveral: true, askedAs: [], slot: null })
  const words = { heading, isOneOfSeveral: true, facts, sources }
  const twin = { ...statement, kind: 'profile' as const, ...words, slot: null }
  return yield* writeEntry(changes, document, twin, reconciled.decided)
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

function isPerson({ subject, speaker, persons }: Fact): boolean {
  return [speaker, ...persons].some((name) => name.toLowerCase() === subject.toLowerCase())
}
