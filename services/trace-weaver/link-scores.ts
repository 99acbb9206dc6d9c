/**
 * The score of a pair of an event and a matter, 0 to 1: the rare words and the meaning that they share. Other persons and the time between
 * them lower it.
 */
import { cosine } from '@loomlog/language/cosine'
import { askAll, type Effects, embed } from '@loomlog/runtime/step'
import { dayMs } from './days.ts'
import type { Mention } from './state.ts'
import type { Arrival } from './strands.ts'
import type { Candidate } from './term-index.ts'

export type OpenEvent = { readonly arrival: Arrival; readonly candidates: readonly Candidate[] }
export type ScoredCandidate = Candidate & {
  readonly score: number
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

/** @param meaningShare the share of the cosine in the score; the rest is the overlap of rare words */
export function* linkScores(
  open: readonly OpenEvent[],
  { meaningShare }: { readonly meaningShare: number },
): Effects<readonly ScoredEvent[]> {
  const compared = open.filter(({ candidates }) => candidates.length > 0)
  const mentions = compared.flatMap(({ arrival, candidates }) => [
    arrival.mention,
    ...candidates.flatMap(({ strand }) => strand.recent),
  ])
  const texts = [...new Set(mentions.map(({ text }) => text))]
  const answers = yield* askAll(embed, texts)
  const meanings = new Map(texts.map((text, index) => [text, answers[index]]))
  const completionsOf = ({ text }: Mention) => meanings.get(text)?.completions ?? []
  const scored = ({ mention, persons }: Arrival, candidate: Candidate): ScoredCandidate => {
    const { recent } = candidate.strand
    const own = meanings.get(mention.text)?.value ?? []
    const meaning = Math.max(0, ...recent.map(({ text }) => cosine(meanings.get(text)?.value ?? [], own)))
    const alike = (1 - meaningShare) * candidate.overlap + meaningShare * meaning
    const score = Math.min(1, alike * people(persons, candidate) * time(mention, recent))
    return { ...candidate, score, completions: [...new Set([mention, ...recent].flatMap(completionsOf))] }
  }
  return open.map(({ arrival, candidates }) => ({
    arrival,
    candidates: candidates.map((candidate) => scored(arrival, candidate)),
  }))
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
