/**
 * The consolidator (Infini Memory; profiles from TriMem): each fact becomes an entry of one topic document, and, where it tells
 * something of a person that lasts, of that person's profile. What says the same is merged, and what has changed is superseded
 * in the order of event time, whenever it was heard of. What is retracted leaves no trace in what holds now.
 *
 * Every fact stands in the `facts` of an entry. What an agent says never enters a person's profile, and ends nothing that a
 * person said. What a person corrected takes the place of what it corrects, and comes before whatever was derived.
 */

import type { Sequenced } from '@loomlog/runtime/processor'
import { type Effects, get, put, type Step } from '@loomlog/runtime/step'
import type { Draft, EvidenceRetracted, FactRecorded, FactRetracted } from '@loomlog/schemas/events'
import { type Mentioned, noteDocument, noteEntry, telling } from './buckets.ts'
import { type Changes, type ConsolidatorEvent, type Decided, noChanges, retireEntry, writeEntry } from './changes.ts'
import { describeChanged } from './describing.ts'
import { statementOf } from './merging.ts'
import { type PlaceParameters, profileOf, room, type Target, topicFor } from './placing.ts'
import { profileHeading } from './profile-headings.ts'
import { rankOf, trust } from './rank.ts'
import { heldAt, type Reconciled, reconcile, validFrom } from './reconciling.ts'
import { retractFact, type Vacancy } from './retracting.ts'
import { citing, type Entry, entries, entryKey, maxSources, type Place, type PlacedFact, placedFacts } from './state.ts'
import { supersede } from './superseding.ts'

export type Parameters = PlaceParameters & {
  /** The share of words that two entries must have in common to say the same, by rules. */
  readonly sameShare: number
  /** A document is described anew at every so-manieth change; in between its title and summary stay, and the count is right. */
  readonly describeEvery: number
}

export type Input = FactRecorded | FactRetracted | EvidenceRetracted

export function* step(
  event: Sequenced<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<ConsolidatorEvent>> {
  const changes = noChanges(event.id)
  if (event.type === 'FactRecorded') yield* record(changes, event, parameters)
  if (event.type === 'FactRetracted') yield* retractFact(changes, event.fact)
  // For other stages it is a matter of facts, which they retract; here it counts only for what this derivation made of them.
  if (event.type === 'EvidenceRetracted' && event.derivation === derivation) yield* undo(changes, event)
  yield* describeChanged(changes, parameters.describeEvery)
  return changes.drafts
}

function* undo(changes: Changes, { utterances }: EvidenceRetracted): Effects<void> {
  const facts = new Set<string>()
  for (const utterance of utterances) for (const fact of (yield* get(citing, utterance)) ?? []) facts.add(fact)
  for (const fact of facts) yield* retractFact(changes, fact)
}

function* record(changes: Changes, fact: Sequenced<FactRecorded>, parameters: Parameters): Effects<void> {
  if ((yield* get(placedFacts, fact.id)) !== null) return
  // First, so that what it replaces is neither compared with it nor left beside it.
  const vacancies: (Vacancy | null)[] = []
  for (const replaced of fact.correction?.replaced ?? []) vacancies.push(yield* retractFact(changes, replaced))
  const vacancy = vacancies.find((each) => each !== null) ?? null
  const words = telling(fact)
  const reconciled = yield* reconcile(fact, words, parameters.sameShare)
  const slots = slotsOf(reconciled)
  const target = yield* targetOf(fact, { reconciled, vacancy }, parameters)
  const statement = statementOf(fact, reconciled.same, { heading: target.heading, slot: slots[0] ?? null })

  const place = yield* writeEntry(changes, target.document, statement, target.decided)
  const twin = yield* profile(changes, { fact, statement, reconciled, vacancy }, parameters)
  if (twin !== null) yield* put(entries, entryKey(place), { ...statement, twin })
  yield* merge(changes, reconciled, { place, twin })
  yield* supersede(changes, { ...reconciled, slots }, { ...statement, place, twin })
  yield* notePlaced(fact, { place, twin })

  if (!changes.gone.has(place.entry)) yield* noteEntry(fact, words, place, changes.gone)
  yield* noteDocument(fact, parameters, place.document)
}

/** What is needed again when it, or a fact that says the same, is retracted. */
function* notePlaced(fact: FactRecorded, places: Pick<PlacedFact, 'place' | 'twin'>): Effects<void> {
  const { text, kind: factKind, when, speaker, role, subject, keywords, sources } = fact
  const said = { text, factKind, when, speaker, role, subject, keywords, sources, rank: rankOf(fact) }
  yield* put(placedFacts, fact.id, { ...places, ...said, validFrom: validFrom(fact), heldAt: heldAt(fact) })
  for (const source of sources) {
    yield* put(citing, source, [...((yield* get(citing, source)) ?? []), fact.id].slice(-maxSources))
  }
}

/** The timelines that the fact is a value of, the one it will be known by first. */
function slotsOf({ same, replaces, slot }: Reconciled): readonly string[] {
  const kept = same.map(({ entry }) => entry.slot)
  const joined = replaces.map(({ place, entry }) => entry.slot ?? `~${place.entry}`)
  return [...new Set([slot, ...kept, ...joined])].filter((each) => each !== null)
}

/** What says the same stands where it stood, and a new value where the old one did. */
function* targetOf(
  fact: FactRecorded,
  { reconciled, vacancy }: { readonly reconciled: Reconciled; readonly vacancy: Vacancy | null },
  parameters: Parameters,
): Effects<Target> {
  const { same, replaces, decided } = reconciled
  const before: Mentioned | undefined = same[0] ?? replaces[0]
  if (before) {
    const { heading, role } = before.entry
    // What does not take the other's place needs one of its own.
    const beside = trust(fact.role) < trust(role) && same.length === 0
    const document = beside ? yield* room(before.place.document, fact, parameters) : before.place.document
    return { document, heading, decided }
  }
  // What is corrected stands where the mistake stood.
  if (vacancy) {
    return { document: yield* room(vacancy.document, fact, parameters), heading: vacancy.heading, decided }
  }
  const target = yield* topicFor(fact, parameters)
  const completions = [...new Set([...decided.completions, ...target.decided.completions])]
  return { ...target, decided: { by: target.decided.by, completions } }
}

interface Stated {
  readonly fact: FactRecorded
  readonly statement: Entry
  readonly reconciled: Reconciled
  readonly vacancy: Vacancy | null
}

/** The statement in the profile of its subject: null where it has no place in one. */
function* profile(changes: Changes, stated: Stated, parameters: Parameters): Effects<Place | null> {
  const { fact, statement, reconciled, vacancy } = stated
  // An agent says again what a person said: the person's entry stays as it is.
  if (trust(fact.role) === 0) return reconciled.same.find(({ entry }) => entry.twin !== null)?.entry.twin ?? null
  const before = [...reconciled.same, ...reconciled.replaces].find(({ entry }) => entry.twin !== null)?.entry.twin
  const heading = before
    ? yield* headingOf(before)
    : (vacancy?.profileHeading ?? (isPerson(fact) && profileHeading(fact)))
  if (!heading) return null
  const document = yield* profileOf(fact.subject, parameters)
  const earlier: Mentioned[] = []
  for (const { entry } of reconciled.same) {
    const place = entry.twin
    const held = place && (yield* get(entries, entryKey(place)))
    if (place && held) earlier.push({ place, entry: held })
  }
  const twin = { ...statementOf(fact, earlier, { heading, slot: null }), kind: 'profile' as const }
  return yield* writeEntry(changes, document, { ...twin, validFrom: statement.validFrom }, reconciled.decided)
}

function* headingOf(place: Place): Effects<string | null> {
  return (yield* get(entries, entryKey(place)))?.heading ?? null
}

/** The merged entry holds all of their time, so nothing of it is left to them. */
function* merge(
  changes: Changes,
  { same, decided }: { readonly same: readonly Mentioned[]; readonly decided: Decided },
  by: { readonly place: Place; readonly twin: Place | null },
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
