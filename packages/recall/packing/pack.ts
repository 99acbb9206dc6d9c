/**
 * Packs candidates into a result. Without a budget the best are taken, whole. Within a budget the most likely for their
 * tokens are taken: utterances without their social sentences, in the order of time, under headings that name each day
 * once. The tokens counted are those of the whole text. Those below the floor of `floor.ts` are left out, though tokens
 * remain.
 */
import { eachCandidate } from '../each-candidate.ts'
import { byTime, type ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { Evidence, LeftOutMemory, RecallResult } from '../recall-result.ts'
import type { CheckedRequest } from '../request/request.ts'
import { withoutSpeaker } from '../search/wording.ts'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'
import { evidenceLine, evidenceText } from './evidence-text.ts'
import { excerptOf, isLong } from './excerpt.ts'
import { fitBudget } from './fit-budget.ts'
import { isUnlikely, leastProbability } from './floor.ts'
import { shortenUtterance } from './shorten-utterance.ts'

/** Candidates considered for a budget: as many as fit if all are short, within bounds that limit the time. */
const considered = { least: 40, most: 400, tokensEach: 5 }
/**
 * The share of the budget that one item takes at most, so that long messages leave room for others; and the share that
 * a long utterance usually takes.
 */
const itemShare = { most: 1 / 3, usual: 1 / 8 }
/** Tokens that an item may have, and that a long utterance usually takes, however small the budget. */
const leastItemTokens = { most: 120, usual: 60 }
/** Captions are shown for utterances whose probability, times the budget, is at least this many tokens. */
const captionTokens = 25

export interface PackRequest extends Pick<CheckedRequest, 'limit' | 'budgetTokens' | 'query'> {
  /** Present if the scores only order the candidates, as of the newest ones: no floor applies. */
  readonly scores?: 'order'
}

/** @param candidates best first */
export async function pack(
  candidates: readonly ScoredMemory[],
  request: PackRequest,
  options: Pick<RecallOptions, 'onCandidateFailure' | 'signal'> = {},
): Promise<RecallResult> {
  const { measured, rest } = measuredCandidates(candidates, request)
  const nameOf = (item: ScoredMemory) => item
  return packMeasured(await eachCandidate(measured, measureFor(request), { ...options, nameOf }), rest, request)
}

/** The candidates whose tokens are counted, and the others: with a budget as many as may fit. */
export function measuredCandidates(
  candidates: readonly ScoredMemory[],
  { budgetTokens, limit }: PackRequest,
): { readonly measured: readonly ScoredMemory[]; readonly rest: readonly ScoredMemory[] } {
  const { least, most, tokensEach } = considered
  const count = budgetTokens === null ? limit : Math.min(most, Math.max(least, Math.ceil(budgetTokens / tokensEach)))
  return { measured: candidates.slice(0, count), rest: candidates.slice(count) }
}

/** Evidence as it is shown for the request. */
export function measureFor({ budgetTokens, query }: PackRequest): (item: ScoredMemory) => Evidence {
  return budgetTokens === null ? wholeEvidence : evidenceWithin(budgetTokens, query)
}

/** @param rest further candidates, which are left out */
export function packMeasured(
  measured: readonly Evidence[],
  rest: readonly ScoredMemory[],
  { budgetTokens: budget, limit, query, scores }: PackRequest,
): RecallResult {
  if (budget === null) {
    const tokens = measured.reduce((sum, item) => sum + item.tokens, 0)
    return {
      items: measured,
      text: evidenceText(measured),
      tokens,
      leftOut: rest.map((item) => leftOutOf(item, 'limit')),
    }
  }
  const least = scores === 'order' ? 0 : leastProbability(measured[0]?.score ?? 0, budget)
  const queryStems = new Set(stemsOf(query).counts.keys())
  const unlikely = new Set(measured.filter((item) => isUnlikely(item, queryStems, least)))
  const likely = measured.filter((item) => !unlikely.has(item))
  const { taken, leftOut } = fitBudget(likely, { tokens: budget, tokensEach: mostTokens(budget) }, limit)
  const items = taken.toSorted(byTime)
  const text = evidenceText(items)
  return {
    items,
    text,
    tokens: tokensOf(text),
    leftOut: [
      ...leftOut.map(([item, why]) => leftOutOf(item, why)),
      ...[...unlikely].map((item) => leftOutOf(item, 'unlikely')),
      ...rest.map((item) => leftOutOf(item, item.score < least ? 'unlikely' : 'budget')),
    ],
  }
}

/** Evidence as it is shown without a budget. */
function wholeEvidence(item: ScoredMemory): Evidence {
  return { ...item, tokens: tokensOf(item.text) }
}

/** Evidence as it is shown within a budget, with the tokens of its numbered line. */
export function evidenceWithin(budget: number, query: string): (item: ScoredMemory) => Evidence {
  const queryStems = new Set(stemsOf(query).counts.keys())
  const tokens = { usual: usualTokens(budget), most: mostTokens(budget) }
  return (item) => {
    const words = item.kind === 'utterance' ? withoutSpeaker(item) : null
    const excerpt = words !== null && isLong(words) ? excerptOf(words, queryStems, tokens) : null
    const lead = `${item.speaker}: `
    const captions = item.score * budget >= captionTokens ? 'all' : 'matching'
    const isShort = words !== null && !isLong(words)
    const short = isShort ? shortenUtterance(words, queryStems, captions) : excerpt?.text
    const text = short === undefined ? item.text : `${lead}${short}`
    // The tokens of an excerpt lack the marks of outdated sentences, so a text with marks is counted again.
    const counted = excerpt !== null && item.outdated === undefined ? excerpt.tokens : null
    const line = { ...item, text: counted === null ? text : lead }
    return { ...item, text, tokens: tokensOf(evidenceLine(1, line)) + (counted ?? 0) }
  }
}

function mostTokens(budget: number): number {
  return Math.max(leastItemTokens.most, Math.floor(budget * itemShare.most))
}

function usualTokens(budget: number): number {
  return Math.max(leastItemTokens.usual, Math.floor(budget * itemShare.usual))
}

function leftOutOf({ id, space, kind, score }: ScoredMemory, why: LeftOutMemory['why']): LeftOutMemory {
  return { id, space, kind, score, why }
}
