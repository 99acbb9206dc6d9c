/**
 * The score of a pair of an event and a matter, 0 to 1: the rare words and the meaning that they share. Other persons
 * and the time between them lower it.
 */
import { cosine } from '@loomlog/language/cosine'
import { askAll, type Effects, embed } from '@loomlog/runtime/step'
import { dayMs } from './days.ts'
import { type Matter, relatedness } from './related-matters.ts'
import type { Mention } from './state.ts'
import type { Arrival } from './strands.ts'
import type { Candidate } from './term-index.ts'

export type OpenEvent = {
  readonly arrival: Arrival
  readonly candidates: readonly Candidate[]
  /** Matters of the same persons; those that are nearest in meaning become candidates too. */
  readonly ofPersons: readonly Matter[]
}
export type ScoredCandidate = Candidate & {
  readonly score: number
  /** Whether it is a candidate by its persons and meaning, regardless of its score. */
  readonly isRelated: boolean
  /** The keys of the embeddings that it rests on. */
  readonly completions: readonly string[]
}
export type ScoredEvent = { readonly arrival: Arrival; readonly candidates: readonly ScoredCandidate[] }

/** Factors of the score if the two name different persons, and if one of them names none. */
const otherPeople = 0.5
const noPersonNamed = 0.8
/** The factor after a very long time, and the half-life of the rest. */
const longAgo = 0.75
const halfOfRestDays = 60

type ScoreParameters = {
  /** The share of the cosine in the score; the rest is the overlap of rare words. */
  readonly meaningShare: number
  readonly askAbove: number
  readonly maxRelated: number
  readonly relatedMeaning: number
}

export function* linkScores(
  open: readonly OpenEvent[],
  { meaningShare, askAbove, maxRelated, relatedMeaning }: ScoreParameters,
): Effects<readonly ScoredEvent[]> {
  const compared = open.filter(({ candidates, ofPersons }) => candidates.length + ofPersons.length > 0)
  const mentions = compared.flatMap(({ arrival, candidates, ofPersons }) => [
    arrival.mention,
    ...candidates.flatMap(({ strand }) => strand.recent),
    ...ofPersons.flatMap(({ strand }) => strand.recent.slice(-1)),
  ])
  const texts = [...new Set(mentions.map(({ text }) => text))]
  const answers = yield* askAll(embed, texts)
  const meanings = new Map(texts.map((text, index) => [text, answers[index]]))
  const completionsOf = ({ text }: Mention) => meanings.get(text)?.completions ?? []
  const meaningOf = (event: Mention, others: readonly Mention[]) => {
    const own = meanings.get(event.text)?.value ?? []
    return Math.max(0, ...others.map(({ text }) => cosine(meanings.get(text)?.value ?? [], own)))
  }
  const scored = ({ mention, persons }: Arrival, candidate: Candidate, recent: readonly Mention[]) => {
    const alike = (1 - meaningShare) * candidate.overlap + meaningShare * meaningOf(mention, recent)
    const score = Math.min(1, alike * people(persons, candidate) * time(mention, recent))
    return { ...candidate, score, completions: [...new Set([mention, ...recent].flatMap(completionsOf))] }
  }
  const related = ({ arrival, ofPersons }: OpenEvent, known: readonly ScoredCandidate[]) => {
    const isKnown = new Set(known.filter(({ score }) => score > askAbove).map(({ id }) => id))
    return ofPersons
      .filter(({ id }) => !isKnown.has(id))
      .map(({ id, strand }) => {
        const last = strand.recent.slice(-1)
        const rank = relatedness(arrival.mention, strand, meaningOf(arrival.mention, last))
        return { rank, candidate: { id, strand, overlap: 0 }, last }
      })
      .filter(({ rank }) => rank >= relatedMeaning)
      .sort((a, b) => b.rank - a.rank)
      .slice(0, maxRelated)
      .map(({ candidate, last }) => ({ ...scored(arrival, candidate, last), isRelated: true }))
  }
  return open.map((event) => {
    const { arrival } = event
    const known = event.candidates.map((candidate) => ({
      ...scored(arrival, candidate, candidate.strand.recent),
      isRelated: false,
    }))
    const more = related(event, known)
    const isTaken = new Set(more.map(({ id }) => id))
    return { arrival, candidates: [...known.filter(({ id }) => !isTaken.has(id)), ...more] }
  })
}

function people(persons: readonly string[], { strand }: Candidate): number {
  if (strand.persons.some(({ person }) => persons.includes(person))) return 1
  return persons.length === 0 || strand.persons.length === 0 ? noPersonNamed : otherPeople
}

function time(event: Mention, recent: readonly Mention[]): number {
  const days = Math.min(...recent.map((each) => Math.abs(dayOf(each) - dayOf(event))))
  return longAgo + (1 - longAgo) * 0.5 ** (days / halfOfRestDays)
}

function dayOf({ when, toldAt }: Mention): number {
  return Math.floor((when?.from ?? toldAt) / dayMs)
}
