/** The content of an ask for a plan: the facts of a batch, the documents near them, and the entries that they may repeat or end. */

import { type Effects, get } from '@loomlog/runtime/step'
import { hash } from '@loomlog/schemas/ids'
import { requireDocument } from './changes.ts'
import { isoDay } from './days.ts'
import { rivalsOf, slotOf, validFrom } from './reconciliation.ts'
import { documents, type Fact } from './state.ts'
import type { BatchInput } from './task-types.ts'
import { maxOffered, maxSummary } from './tasks.ts'
import {
  factTerms,
  type NearnessWeights,
  nearestDocuments,
  newestEntryOfRelation,
  type PlacedEntry,
  stateKeyOf,
} from './term-index.ts'

/** The most documents that one fact adds to the ask. */
const documentsOfFact = 3
/** The most entries that one fact adds to the ask. */
const entriesOfFact = 3
/** The most profiles in an ask. */
const maxProfiles = 4

export interface PlanAsk {
  readonly facts: readonly Fact[]
  /** By label. */
  readonly documents: ReadonlyMap<string, string>
  readonly profiles: ReadonlyMap<string, string>
  readonly entries: ReadonlyMap<string, PlacedEntry>
  /** By fact: the labels of the entries that it may repeat or end, which are about the same subject or slot. */
  readonly rivals: ReadonlyMap<string, ReadonlySet<string>>
  readonly input: BatchInput
}

export function* planAskFor(facts: readonly Fact[], weights: NearnessWeights): Effects<PlanAsk> {
  const topics = labelled('d', yield* nearDocuments(facts, weights))
  const profiles = labelled('p', yield* knownProfiles(facts))
  const { entries, rivals } = yield* rivalEntries(facts)
  const described: string[] = []
  for (const [label, id] of [...topics, ...profiles]) {
    const { title, summary } = yield* requireDocument(id)
    described.push(line(label, `${title}:`, summary.slice(0, maxSummary)))
  }
  const input: BatchInput = {
    documents: described,
    entries: [...entries].map(([label, { entry }]) => line(label, isoDay(entry.validFrom), entry.text)),
    facts: facts.map((fact, index) => line(factLabel(index), isoDay(validFrom(fact)), fact.kind, saying(fact))),
  }
  return { facts, documents: topics, profiles, entries, rivals, input }
}

export function factLabel(index: number): string {
  return `f${index + 1}`
}

/** The words of an agent are marked, so that they don't pass for a person's. */
function saying({ role, speaker, text }: Fact): string {
  return role === 'human' ? text : `(${role} ${speaker}) ${text}`
}

/** Text without line breaks. */
function line(...parts: readonly string[]): string {
  return parts.join(' ').replaceAll(/\s+/g, ' ').trim()
}

function labelled(letter: string, ids: readonly string[]): ReadonlyMap<string, string> {
  return new Map(ids.map((id, index) => [`${letter}${index + 1}`, id]))
}

/** The documents that share most with the facts, the best first. */
function* nearDocuments(facts: readonly Fact[], weights: NearnessWeights): Effects<readonly string[]> {
  const scores = new Map<string, number>()
  for (const fact of facts) {
    for (const { document, score } of yield* nearestDocuments(fact, weights, documentsOfFact)) {
      scores.set(document, Math.max(score, scores.get(document) ?? 0))
    }
  }
  return [...scores]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, maxOffered)
    .map(([document]) => document)
}

function* knownProfiles(facts: readonly Fact[]): Effects<readonly string[]> {
  const found: string[] = []
  for (const person of new Set(facts.map(({ subject }) => stateKeyOf(subject)))) {
    const known = yield* get(documents, hash(['profile', person]))
    if (known !== null && found.length < maxProfiles) found.push(known.latest)
  }
  return found
}

function* comparedWith(fact: Fact): Effects<readonly PlacedEntry[]> {
  const rivals = (yield* rivalsOf(fact, factTerms(fact), slotOf(fact))).slice(0, entriesOfFact)
  const other = rivals.length === entriesOfFact ? null : yield* newestEntryOfRelation(fact)
  return other === null || rivals.some(({ place }) => place.entry === other.place.entry) ? rivals : [...rivals, other]
}

function* rivalEntries(facts: readonly Fact[]): Effects<Pick<PlanAsk, 'entries' | 'rivals'>> {
  const labels = new Map<string, string>()
  const entries = new Map<string, PlacedEntry>()
  const rivals = new Map<string, ReadonlySet<string>>()
  for (const fact of facts) {
    const own = new Set<string>()
    for (const rival of yield* comparedWith(fact)) {
      const label = labels.get(rival.place.entry) ?? `e${labels.size + 1}`
      labels.set(rival.place.entry, label)
      entries.set(label, rival)
      own.add(label)
    }
    rivals.set(fact.id, own)
  }
  return { entries, rivals }
}
