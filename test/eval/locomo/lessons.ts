/**
 * What weights are learned from: of each question whose evidence is known, the evidence and the other candidates, a row of features each. Of what
 * is far from promising a part is taken, which weighs as much more. Questions of category 5 have no answer, and teach nothing.
 */
import type { FeaturedCandidates } from '@loomlog/recall/rank-utterances'
import type { Question } from './dataset.ts'
import type { Contest } from './listwise.ts'

export interface Lesson {
  readonly question: Question
  readonly found: FeaturedCandidates
}

export interface Taught {
  /** Of the features, as they stand in the rows. */
  readonly names: readonly string[]
  readonly contests: readonly (Contest & { readonly sample: string })[]
}

/** Of the candidates that are no evidence, the most promising are taken, and every so manieth of the rest. */
const promising = 80
const takenOf = 12

export function taughtBy(lessons: readonly Lesson[]): Taught {
  const teaching = lessons.filter(({ question }) => question.category !== '5')
  const names = [...(teaching[0]?.found.features.keys() ?? [])]
  return { names, contests: teaching.map((lesson) => contestOf(lesson, names)) }
}

function contestOf({ question, found }: Lesson, names: readonly string[]): Taught['contests'][number] {
  const gold = new Set(question.gold)
  const columns = names.map((name) => found.features.get(name) ?? [])
  const isGold = found.candidates.map(({ memory }) => gold.has(memory.id))
  const promise = ['words around', 'statement meaning share', 'fact meaning'].map(
    (name) => found.features.get(name) ?? [],
  )
  const promiseOf = (at: number) => promise.reduce((sum, values) => sum + (values[at] ?? 0), 0)
  const others = [...isGold.keys()].filter((at) => !isGold[at]).sort((a, b) => promiseOf(b) - promiseOf(a))
  const taken = [
    ...[...isGold.keys()].filter((at) => isGold[at]).map((at) => ({ at, count: 1 })),
    ...others.slice(0, promising).map((at) => ({ at, count: 1 })),
    ...others.slice(promising).flatMap((at, place) => (place % takenOf === 0 ? [{ at, count: takenOf }] : [])),
  ]
  return {
    sample: question.sample,
    rows: taken.map(({ at }) => Float64Array.from(columns, (values) => values[at] ?? 0)),
    isEvidence: taken.map(({ at }) => isGold[at] ?? false),
    counts: taken.map(({ count }) => count),
  }
}

/** With only some of the features. */
export function withOnly({ names, contests }: Taught, isKept: (name: string) => boolean): Taught {
  const kept = [...names.keys()].filter((at) => isKept(names[at] ?? ''))
  if (kept.length === names.length) return { names, contests }
  const cut = (row: Float64Array) => Float64Array.from(kept, (at) => row[at] ?? 0)
  return {
    names: kept.map((at) => names[at] ?? ''),
    contests: contests.map((contest) => ({ ...contest, rows: contest.rows.map(cut) })),
  }
}
