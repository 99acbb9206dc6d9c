/**
 * What recall makes of the questions, kept so that weights can be learned and compared without asking again: the candidates of each and their
 * features, as `recall()` finds them. Ranked and packed they are what `recall()` shows; `locomo.ts` asks it itself now and then, and stops
 * where the two differ.
 */
import type { Memory } from '@loomlog/recall/memory'
import { bestFirst } from '@loomlog/recall/merge-kinds'
import { pack } from '@loomlog/recall/pack'
import {
  type FeaturedCandidates,
  findFeaturedCandidates,
  scoreCandidates,
  textsToEmbed,
} from '@loomlog/recall/rank-utterances'
import { recall } from '@loomlog/recall/recall'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import { checked, maxLimit } from '@loomlog/recall/request'
import { learnedWeights, type Weights } from '@loomlog/recall/weights'
import type { Question } from './dataset.ts'
import { budgets, type Item, type Shown } from './measures.ts'

/** One copy of each memory, however many questions find it. */
const kept = new Map<string, Memory>()

export async function examined(question: Question, space: string, options: RecallOptions): Promise<FeaturedCandidates> {
  const { query, within } = checked({ space, query: question.text })
  const vectors = await options.embedder.embed(textsToEmbed(query))
  const found = await findFeaturedCandidates({ space, query, vectors, within, withEvents: true }, options)
  const candidates = found.candidates.map(({ memory }) => {
    const key = `${space} ${memory.id}`
    const first = kept.get(key) ?? memory
    kept.set(key, first)
    return { memory: first }
  })
  return { ...found, candidates }
}

export function shownBy(weights: Weights, found: FeaturedCandidates, query: string): Shown {
  const asked = checked({ space: '', query, limit: maxLimit })
  const ranked = bestFirst(scoreCandidates(weights, found))
  const packed = new Map<number, readonly Item[]>()
  for (const budgetTokens of budgets) {
    const answer = pack(ranked, { ...asked, budgetTokens })
    if (answer.tokens > budgetTokens) throw new Error(`${answer.tokens} tokens were packed into ${budgetTokens}`)
    packed.set(budgetTokens, answer.items.map(itemOf))
  }
  return { ranked: pack(ranked, asked).items.map(itemOf), packed }
}

function itemOf({ sources, tokens }: { readonly sources: readonly string[]; readonly tokens: number }): Item {
  return { turns: sources, tokens }
}

/** @throws where `recall()` itself shows something else */
export async function checkAgainstRecall(
  question: Question,
  space: string,
  found: FeaturedCandidates,
  options: RecallOptions,
) {
  const [budgetTokens] = budgets
  const { items } = await recall({ space, query: question.text, budgetTokens }, options)
  const expected = shownBy(learnedWeights, found, question.text).packed?.get(budgetTokens) ?? []
  const [mine, theirs] = [items.flatMap(({ sources }) => sources), expected.flatMap(({ turns }) => turns)]
  if (mine.join() !== theirs.join()) throw new Error(`recall() shows ${mine} and not ${theirs} for ${question.text}`)
}
