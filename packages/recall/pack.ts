/** Takes the best candidates, as many as the limit and the budget allow, and says what was left out and why. */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import type { Answer, Evidence, LeftOut } from './answer.ts'
import type { Scored } from './memory.ts'
import type { CheckedRequest } from './request.ts'

/** @param candidates best first */
export function pack(candidates: readonly Scored[], request: Pick<CheckedRequest, 'limit' | 'budgetTokens'>): Answer {
  const budget = request.budgetTokens ?? Number.POSITIVE_INFINITY
  const items: Evidence[] = []
  const leftOut: LeftOut[] = []
  let used = 0
  for (const candidate of candidates) {
    const { id, kind, score } = candidate
    if (items.length === request.limit) {
      leftOut.push({ id, kind, score, why: 'limit' })
      continue
    }
    const tokens = countTokens(candidate.text)
    if (used + tokens > budget) leftOut.push({ id, kind, score, why: 'budget' })
    else {
      items.push({ ...candidate, tokens })
      used += tokens
    }
  }
  if (request.budgetTokens !== null) items.sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  return { items, tokens: used, leftOut }
}
