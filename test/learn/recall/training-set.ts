/**
 * The examples that weights are learned from: for each question with known evidence, the evidence and the other
 * candidates, as rows of features. Unlikely candidates are sampled, and each sampled one counts for several. Questions
 * without an answer are left out.
 */
import type { FeaturedCandidates } from '@loomlog/recall/rank-utterances'
import type { Question } from '../../eval/evidence/dataset.ts'
import { hasAnswer } from '../../eval/evidence/measures.ts'
import { messageOf } from '../../eval/evidence/message-of.ts'
import type { QueryGroup } from './listwise.ts'

/** A question whose evidence people marked, with its candidates. */
export interface JudgedQuestion {
  readonly question: Question
  readonly featured: FeaturedCandidates
}

export interface TrainingSet {
  /** Names of the features, in the order of the columns. */
  readonly names: readonly string[]
  readonly queryGroups: readonly (QueryGroup & { readonly sample: string })[]
}

/** Of the candidates that are not evidence, all promising ones are used, and one in 12 of the rest. */
const mostPromising = 80
const samplingInterval = 12
const promisingFeatures = ['words around', 'statement meaning share', 'fact meaning']

/**
 * @param sets of several benchmarks; each question counts as much as any other, regardless of its amount of evidence
 */
export function trainingSetOf(sets: readonly (readonly JudgedQuestion[])[]): TrainingSet {
  const used = sets.flat().filter(({ question }) => hasAnswer(question) && question.gold.length > 0)
  const names = [...(used[0]?.featured.features.keys() ?? [])]
  const queryGroups = used.map((each) => {
    return { ...queryGroupOf(each, names), weight: 1 / (used.length * each.question.gold.length) }
  })
  return { names, queryGroups }
}

function queryGroupOf(
  { question, featured: { candidates, features } }: JudgedQuestion,
  names: readonly string[],
): Omit<TrainingSet['queryGroups'][number], 'weight'> {
  const gold = new Set(question.gold)
  const isRestated = restatementsIn(candidates, gold)
  const columns = names.map((name) => features.get(name) ?? [])
  const isGold = candidates.map(({ memory }) => gold.has(messageOf(memory.id)))
  const promise = promisingFeatures.map((name) => features.get(name) ?? [])
  const promiseOf = (at: number) => promise.reduce((sum, values) => sum + (values[at] ?? 0), 0)
  const others = [...isGold.keys()]
    .filter((at) => !isGold[at] && !isRestated(at))
    .sort((a, b) => promiseOf(b) - promiseOf(a))
  const chosen = [
    ...[...isGold.keys()].filter((at) => isGold[at] && !isRestated(at)).map((at) => ({ at, count: 1 })),
    ...others.slice(0, mostPromising).map((at) => ({ at, count: 1 })),
    ...others
      .slice(mostPromising)
      .flatMap((at, rank) => (rank % samplingInterval === 0 ? [{ at, count: samplingInterval }] : [])),
  ]
  return {
    sample: question.sample,
    rows: chosen.map(({ at }) => Float64Array.from(columns, (values) => values[at] ?? 0)),
    isEvidence: chosen.map(({ at }) => isGold[at] ?? false),
    counts: chosen.map(({ count }) => count),
  }
}

/** An agent's repetition of evidence that a person gave: an example neither for nor against. */
function restatementsIn(
  candidates: FeaturedCandidates['candidates'],
  gold: ReadonlySet<string>,
): (at: number) => boolean {
  const isEvidence = ({ memory }: (typeof candidates)[number]) => gold.has(messageOf(memory.id))
  const hasPersons = candidates.some((each) => isEvidence(each) && each.role === 'human')
  return (at) => {
    const candidate = candidates[at]
    return hasPersons && candidate !== undefined && isEvidence(candidate) && candidate.role !== 'human'
  }
}

export function withFeatures({ names, queryGroups }: TrainingSet, isUsed: (name: string) => boolean): TrainingSet {
  const used = [...names.keys()].filter((at) => isUsed(names[at] ?? ''))
  if (used.length === names.length) return { names, queryGroups }
  const columnsOf = (row: Float64Array) => Float64Array.from(used, (at) => row[at] ?? 0)
  return {
    names: used.map((at) => names[at] ?? ''),
    queryGroups: queryGroups.map((queryGroup) => ({ ...queryGroup, rows: queryGroup.rows.map(columnsOf) })),
  }
}
