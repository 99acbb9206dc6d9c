/**
 * loomlog as a method of this evaluation: the candidates of a question with their features, as `recall()` finds them,
 * and `recall()`'s ranking and packing. So weights can be learned and compared without a new search. After a search
 * `checkAgainstRecall` compares a sample of the questions with `recall()` itself, and stops the evaluation if the
 * evidence differs.
 */
import { type CandidatePool, findCandidates } from '@loomlog/recall/candidates'
import type { ScoredMemory } from '@loomlog/recall/memory'
import { bestFirst } from '@loomlog/recall/merge-kinds'
import { measuredCandidates, measureFor, packMeasured } from '@loomlog/recall/pack'
import { type FeaturedCandidates, scoreCandidates, textsToEmbed } from '@loomlog/recall/rank-utterances'
import { recall } from '@loomlog/recall/recall'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import type { RecallResult } from '@loomlog/recall/recall-result'
import { type CheckedRequest, checkRequest, maxLimit } from '@loomlog/recall/request'
import { learnedWeights, type Weights } from '@loomlog/recall/weights'
import { budgets, type Item, type MethodOutput } from './measures.ts'
import { messageOf } from './message-of.ts'

/** The candidates that `recall()` finds for the question. */
export async function candidatesOf(text: string, space: string, options: RecallOptions): Promise<CandidatePool> {
  const { query, scope } = checkRequest({ space, query: text })
  const vectors = await options.embedder.embed(textsToEmbed(query))
  return findCandidates({ space, query, vectors, scope, withEvents: true }, options)
}

export function outputWith(weights: Weights, featured: FeaturedCandidates, query: string): MethodOutput {
  const request = checkRequest({ space: '', query, limit: maxLimit })
  const ranked = bestFirst(scoreCandidates(weights, featured))
  const packed = new Map<number, readonly Item[]>()
  for (const budgetTokens of budgets) {
    const result = packAtOnce(ranked, { ...request, budgetTokens })
    if (result.tokens > budgetTokens) throw new Error(`${result.tokens} tokens were packed into ${budgetTokens}`)
    packed.set(budgetTokens, result.items.map(itemOf))
  }
  return { ranked: packAtOnce(ranked, request).items.map(itemOf), packed }
}

/** As `pack()`, without giving way to others. */
export function packAtOnce(ranked: readonly ScoredMemory[], request: CheckedRequest): RecallResult {
  const { measured, rest } = measuredCandidates(ranked, request)
  return packMeasured(measured.map(measureFor(request)), rest, request)
}

function itemOf({ sources, tokens }: { readonly sources: readonly string[]; readonly tokens: number }): Item {
  return { turns: [...new Set(sources.map(messageOf))], tokens }
}

/** @throws if `recall()` returns other evidence within the smallest budget */
export async function checkAgainstRecall(
  text: string,
  space: string,
  featured: FeaturedCandidates,
  options: RecallOptions,
): Promise<void> {
  const [budgetTokens] = budgets
  const { items } = await recall({ space, query: text, budgetTokens }, options)
  const expected = outputWith(learnedWeights, featured, text).packed?.get(budgetTokens) ?? []
  const [actual, wanted] = [items.map(itemOf), expected].map((each) => each.flatMap(({ turns }) => turns))
  if (actual?.join() !== wanted?.join()) throw new Error(`recall() returns ${actual} and not ${wanted} for ${text}`)
}
