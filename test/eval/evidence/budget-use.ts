/**
 * The tokens of a budget that recall uses, and the gold that they hold: means and counts over the questions with
 * evidence.
 */
import { bestFirst } from '@loomlog/recall/merge-kinds'
import { scoreCandidates } from '@loomlog/recall/rank-utterances'
import { checkRequest, maxLimit } from '@loomlog/recall/request'
import type { JudgedQuestion } from '../../learn/recall/training-set.ts'
import { mean } from '../mean.ts'
import type { WeightsOf } from './evaluation.ts'
import { packAtOnce } from './loomlog-method.ts'
import { hasAnswer } from './measures.ts'
import { messageOf } from './message-of.ts'

const budgets = [250, 1_000] as const

export interface BudgetUse {
  readonly budget: number
  /** Mean of the tokens of the text, and of its lines. */
  readonly tokens: number
  readonly lines: number
  /** Gold messages of all questions, and those among the evidence. */
  readonly gold: number
  readonly goldKept: number
}

export function budgetUse(all: readonly JudgedQuestion[], weightsOf: WeightsOf): readonly BudgetUse[] {
  const asked = all.filter(({ question }) => hasAnswer(question) && question.gold.length > 0)
  const ranked = asked.map(({ question, featured }) => {
    return { question, ranked: bestFirst(scoreCandidates(weightsOf(question.sample), featured)) }
  })
  return budgets.map((budget) => {
    const packed = ranked.map(({ question: { text, gold }, ranked }) => {
      const request = checkRequest({ space: '', query: text, limit: maxLimit, budgetTokens: budget })
      const { items, tokens } = packAtOnce(ranked, request)
      const held = new Set(items.flatMap(({ sources }) => sources.map(messageOf)))
      return { tokens, lines: items.length, gold: gold.length, goldKept: gold.filter((id) => held.has(id)).length }
    })
    const sum = (of: 'gold' | 'goldKept') => packed.reduce((total, each) => total + each[of], 0)
    return {
      budget,
      tokens: mean(packed.map(({ tokens }) => tokens)),
      lines: mean(packed.map(({ lines }) => lines)),
      gold: sum('gold'),
      goldKept: sum('goldKept'),
    }
  })
}

export function budgetUseText(use: readonly BudgetUse[]): string {
  const lines = use.map(({ budget, tokens, lines, gold, goldKept }) => {
    return `of ${budget} tokens ${tokens.toFixed(0)} are used, for ${lines.toFixed(1)} lines with ${goldKept} of ${gold} gold messages`
  })
  return lines.join('\n')
}
