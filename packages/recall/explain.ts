/**
 * Explains a recall: every candidate with the contribution of each feature, its size in tokens, and the reason why it
 * was taken or left out. Search and packing are those of `recall()`, so the items are the same. Bias and contributions
 * add up to the log-odds of a score, with two exceptions: a raised candidate has the score of the memory in `raisedBy`,
 * and the score of a retracted utterance is lowered.
 */
import { type Contribution, type FeaturePart, sumOf } from './contribution.ts'
import { readDespiteDamage } from './damage-tolerance.ts'
import { collectFailures, eachCandidate } from './each-candidate.ts'
import { findEvidence, type RankedEvidence, type SpaceSearchResult } from './find-evidence.ts'
import type { ScoredMemory } from './memory.ts'
import { measureFor, pack } from './packing/pack.ts'
import { prepare } from './preparation.ts'
import { features } from './ranking/features.ts'
import type { FeaturedCandidates } from './ranking/rank-utterances.ts'
import { learnedWeights } from './ranking/weights.ts'
import type { RecallOptions } from './recall-options.ts'
import type { RecallResult } from './recall-result.ts'
import { analyseByRules, type QuestionAnalysis } from './request/question-analysis.ts'
import { type CheckedRequest, checkRequest, type RecallRequest } from './request/request.ts'

export interface ExplainedContribution extends Contribution {
  /** Value times weight. */
  readonly contribution: number
}

type Summary = Pick<ScoredMemory, 'id' | 'kind' | 'space' | 'text' | 'sources' | 'score' | 'raisedBy'>

export interface ExplainedCandidate extends Summary {
  /** Size in cl100k tokens; within a budget, with the number of the item. */
  readonly tokens: number
  /** `limit`: others were better; `budget`: its tokens did not fit; `unlikely`: below the floor of a budget. */
  readonly outcome: 'taken' | 'limit' | 'budget' | 'unlikely'
  /**
   * The contributions other than 0, largest first. For utterances, and for facts and events ranked with them, they add
   * up to log-odds without the bias. For a kind that is searched by itself, they add up to the score in that search.
   */
  readonly contributions: readonly ExplainedContribution[]
}

export interface ExplainedRecall extends RecallResult {
  readonly understood: QuestionAnalysis
  /** In log-odds, the same for all candidates. */
  readonly bias: number
  /**
   * Best first, without those in `failed`; of several kinds without the repeats that `ranking/merge-kinds.ts` drops.
   */
  readonly candidates: readonly ExplainedCandidate[]
}

/** @throws LoomlogError as `recall()` */
export async function explain(request: RecallRequest, options: RecallOptions): Promise<ExplainedRecall> {
  const checkedRequest = checkRequest(request, options.views.tables)
  const preparation = prepare(checkedRequest, options)
  return await readDespiteDamage(checkedRequest.spaces, options.views, async () => {
    const { options: collecting, failedField } = collectFailures(options)
    const evidence = await findEvidence(checkedRequest, preparation, collecting)
    return { ...(await explained(checkedRequest, evidence, collecting)), ...failedField() }
  })
}

async function explained(
  checkedRequest: CheckedRequest,
  evidence: RankedEvidence,
  options: RecallOptions,
): Promise<ExplainedRecall> {
  const { query } = checkedRequest
  const { ranked, fields, searches } = evidence
  const contributions = bestContributions(searches)
  const result = { ...(await pack(ranked, checkedRequest, options)), ...fields }
  const taken = new Set(result.items.map(keyOf))
  const leftOut = new Map(result.leftOut.map((item) => [keyOf(item), item.why]))
  const evidenceOf = measureFor(checkedRequest)
  const summaryOf = (candidate: ScoredMemory): ExplainedCandidate => {
    const { id, kind, space, sources, score, raisedBy } = candidate
    const key = keyOf(candidate)
    const { text, tokens } = evidenceOf(candidate)
    return {
      id,
      kind,
      space,
      sources,
      score,
      ...(raisedBy !== undefined && { raisedBy }),
      text,
      tokens,
      outcome: taken.has(key) ? 'taken' : (leftOut.get(key) ?? 'limit'),
      contributions: contributions.get(key) ?? [],
    }
  }
  const candidates = await eachCandidate(ranked, summaryOf, { ...options, nameOf: (candidate) => candidate })
  return { ...result, understood: result.understood ?? analyseByRules(query), bias: learnedWeights.bias, candidates }
}

/** The sum of the contributions of a part. */
export function sumOfPart(part: FeaturePart, { contributions }: Pick<ExplainedCandidate, 'contributions'>): number {
  return sumOf(contributions.filter((each) => each.part === part))
}

/** The contributions of each memory, in the search that scored it best. */
function bestContributions(
  searches: readonly SpaceSearchResult[],
): ReadonlyMap<string, readonly ExplainedContribution[]> {
  const best = new Map<string, readonly Contribution[]>()
  const keep = (key: string, contributions: readonly Contribution[]) => {
    const known = best.get(key)
    if (known === undefined || sumOf(contributions) > sumOf(known)) best.set(key, contributions)
  }
  for (const { featured, derived } of searches) {
    if (featured !== null) {
      for (const [at, { memory }] of featured.candidates.entries()) keep(keyOf(memory), contributionsOf(at, featured))
    }
    for (const memory of derived) keep(keyOf(memory), memory.contributions)
  }
  return new Map([...best].map(([key, contributions]) => [key, largestFirst(contributions)]))
}

function contributionsOf(at: number, { features: values }: FeaturedCandidates): readonly Contribution[] {
  return features.flatMap(({ name, part }) => {
    const weight = learnedWeights.features[name] ?? 0
    return weight === 0 ? [] : [{ feature: name, part, value: values.get(name)?.[at] ?? 0, weight }]
  })
}

function largestFirst(contributions: readonly Contribution[]): readonly ExplainedContribution[] {
  return contributions
    .map((each) => ({ ...each, contribution: each.value * each.weight }))
    .filter(({ contribution }) => contribution !== 0)
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
}

/** Ids are unique within a space and a kind. */
function keyOf({ space, kind, id }: Pick<ScoredMemory, 'space' | 'kind' | 'id'>): string {
  return `${space} ${kind} ${id}`
}
