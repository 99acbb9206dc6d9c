/**
 * Ranks utterances as evidence: each candidate gets the probability that it answers the question. Facts and events
 * count for the utterances they were derived from and are not returned beside them, so that one piece of evidence comes
 * once.
 */
import { eachCandidate } from '../each-candidate.ts'
import type { Memory, ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { asksForTime, asStatement, questionFrom } from '../request/question.ts'
import type { CandidateSearch } from '../search/candidate-search.ts'
import { type CandidatePool, findCandidates } from '../search/candidates.ts'
import { withAnswersFirst } from '../search/current-answers.ts'
import { isReplaced, withReplacements } from '../search/replacements.ts'
import { withRetractions } from '../search/retractions.ts'
import { readMemory, withChanges } from '../search/stated-changes.ts'
import { timesIn } from './cues.ts'
import { type FeatureDeclaration, type Features, featuresOf } from './features.ts'
import { withNewerFirst } from './newer-first.ts'
import { highestOf } from './ranks.ts'
import { hasWeight, learnedWeights, probabilities, type Weights } from './weights.ts'

/** Best utterances that a later one may outdate. Further down, a mark changes nothing that fits a result. */
const maxOutdated = 100
/**
 * Best utterances that are read for a stated change, some 0.3 ms each at first. A change that only a lower-ranked
 * utterance states, such as `make it the 16th`, marks nothing, unless an entry of a document records it.
 */
const maxRead = 200

/** The candidates of a question with their features, before weights make scores of them. */
export interface FeaturedCandidates extends Omit<CandidatePool, 'candidates'> {
  readonly candidates: readonly Pick<CandidatePool['candidates'][number], 'memory' | 'role'>[]
  readonly features: Features
  /** The question as it was asked. */
  readonly query: string
}

export async function findFeaturedCandidates(
  search: CandidateSearch,
  options: RecallOptions,
): Promise<FeaturedCandidates> {
  const pool = await findCandidates(search, options)
  const readable = asksForTime(search.query) ? await eachOf(pool.candidates, timesIn, options) : pool.candidates
  const featured = withFeatures(search, { ...pool, candidates: readable }, hasWeight)
  const scores = probabilities(featured.features, readable.length, learnedWeights)
  const best = bestUtterances(featured.candidates, scores, maxRead)
  const read = new Set(await eachOf(best, ({ memory }) => readMemory(memory), options))
  const failed = new Set(best.filter((each) => !read.has(each)).map(({ memory }) => memory))
  return failed.size === 0 ? featured : candidatesWhere(featured, (memory) => !failed.has(memory))
}

/** The candidates that were read: one by one, since the steps after this one read all at once. */
async function eachOf<C extends { readonly memory: Memory }>(
  candidates: readonly C[],
  read: (candidate: C) => unknown,
  options: RecallOptions,
): Promise<readonly C[]> {
  const work = (candidate: C) => {
    read(candidate)
    return candidate
  }
  return await eachCandidate(candidates, work, { ...options, nameOf: ({ memory }) => memory })
}

/**
 * The candidates with their features: pure, so that an evaluation can keep the candidates and compute the features
 * again.
 * @param isUsed chooses features by name; without it, all are computed
 */
export function withFeatures(
  search: Pick<CandidateSearch, 'query' | 'withEvents'>,
  pool: CandidatePool,
  isUsed: (feature: string) => boolean = () => true,
): FeaturedCandidates {
  const utterances = pool.candidates.filter(({ memory }) => memory.kind === 'utterance')
  const newest = Math.max(0, ...utterances.map(({ memory }) => memory.at ?? 0))
  const question = questionFrom(search.query, newest)
  const used = ({ from, name }: FeatureDeclaration) => (search.withEvents || from !== 'events') && isUsed(name)
  return { ...pool, query: search.query, features: featuresOf(question, pool.candidates, used) }
}

/** The candidates without facts and events. Those come last, so the positions in the features stay. */
export function onlyUtterances(featured: FeaturedCandidates): FeaturedCandidates {
  return { ...featured, candidates: featured.candidates.filter(({ memory }) => memory.kind === 'utterance') }
}

/** The candidates that pass. Their features stay as computed among all candidates. */
export function candidatesWhere(
  { candidates, features, ...rest }: FeaturedCandidates,
  passes: (memory: Memory) => boolean,
): FeaturedCandidates {
  const kept = [...candidates.keys()].filter((at) => passes(candidates[at]?.memory as Memory))
  if (kept.length === candidates.length) return { candidates, features, ...rest }
  const keptFeatures = [...features].map(
    ([name, values]) => [name, Float64Array.from(kept, (at) => values[at] as number)] as const,
  )
  return {
    ...rest,
    candidates: kept.map((at) => candidates[at] as (typeof candidates)[number]),
    features: new Map(keptFeatures),
  }
}

/**
 * Each candidate with its probability of being evidence, in no order.
 * @param limit best candidates that are checked for being outdated
 */
export function scoreCandidates(
  weights: Weights,
  { candidates, features, query, replacements, answers, retractions, moment }: FeaturedCandidates,
  limit = maxOutdated,
): readonly ScoredMemory[] {
  const scores = probabilities(features, candidates.length, weights)
  const scored = candidates.map(({ memory }, at) => ({ ...memory, score: scores[at] ?? 0 }))
  const best = bestUtterances(candidates, scores, maxRead)
  const outdatable = new Set(best.slice(0, Math.min(limit, maxOutdated)).map(({ memory }) => memory.id))
  const allReplacements = withChanges(replacements, best, outdatable, moment)
  const marked = withReplacements(withRetractions(scored, retractions), allReplacements, query)
  const roles = new Map(best.map(({ memory, role }) => [memory.id, role]))
  const roleOf = ({ id }: ScoredMemory) => roles.get(id) ?? null
  const ordered = withNewerFirst(marked, query, { roleOf, moment })
  return withAnswersFirst(ordered, answers, (memory) => isReplaced(memory, allReplacements, query))
}

/** Best first. */
function bestUtterances<C extends { readonly memory: Memory }>(
  candidates: readonly C[],
  scores: ArrayLike<number>,
  limit: number,
): readonly C[] {
  const values = Float64Array.from(candidates, ({ memory: { kind } }, at) =>
    kind === 'utterance' ? (scores[at] as number) : Number.NEGATIVE_INFINITY,
  )
  return highestOf(values, limit).map((at) => candidates[at] as C)
}

/** The texts to embed for a query: the question, and the question as a statement if it has one. */
export function textsToEmbed(query: string): readonly string[] {
  const statement = asStatement(query)
  return statement === null ? [query] : [query, statement]
}
