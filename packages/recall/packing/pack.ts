/**
 * What is taken of the candidates, and how it is shown. Without a budget the best come, whole. Within a budget what is most likely for its
 * tokens comes: an utterance without its social sentences, under its day, which is said once, in the order of time. The tokens are those of
 * the text as it is shown, all of it.
 */

import { byTime, type Scored } from '../memory.ts'
import type { Answer, Evidence, LeftOut } from '../recall-result.ts'
import type { CheckedRequest } from '../request/request.ts'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'
import { line, shownText } from './evidence-text.ts'
import { fit } from './fit-budget.ts'
import { shownOf } from './shorten-utterance.ts'

/** Only so many of the most likely are looked at more closely, for time: what fits when all are short, and no fewer than the least. */
const examined = { least: 40, most: 400, tokensEach: 5 }
/** A caption is shown where an utterance is as likely as what a budget still reaches: with a probability of this many tokens of all. */
const captionTokens = 25

/** @param candidates best first */
export function pack(
  candidates: readonly Scored[],
  request: Pick<CheckedRequest, 'limit' | 'budgetTokens' | 'query'>,
): Answer {
  return request.budgetTokens === null
    ? best(candidates, request.limit)
    : fitting(candidates, request.budgetTokens, request)
}

function best(candidates: readonly Scored[], limit: number): Answer {
  const items = candidates.slice(0, limit).map(whole)
  const leftOut = candidates.slice(limit).map((item) => leaving(item, 'limit'))
  return { items, text: shownText(items), tokens: items.reduce((sum, { tokens }) => sum + tokens, 0), leftOut }
}

/** How evidence is shown where tokens don't count. */
export function whole(item: Scored): Evidence {
  return { ...item, tokens: tokensOf(item.text) }
}

function fitting(
  candidates: readonly Scored[],
  budget: number,
  { limit, query }: Pick<CheckedRequest, 'limit' | 'query'>,
): Answer {
  const { least, most, tokensEach } = examined
  const count = Math.min(most, Math.max(least, Math.ceil(budget / tokensEach)))
  const shown = shownWithin(budget, query)
  const { taken, left } = fit(candidates.slice(0, count).map(shown), budget, limit)
  const items = taken.toSorted(byTime)
  const leftOut = [
    ...left.map(([item, why]) => leaving(item, why)),
    ...candidates.slice(count).map((item) => leaving(item, 'budget')),
  ]
  const text = shownText(items)
  return { items, text, tokens: tokensOf(text), leftOut }
}

/** How evidence is shown within a budget, and what that takes, with its number. */
export function shownWithin(budget: number, query: string): (item: Scored) => Evidence {
  const about = new Set(stemsOf(query).counts.keys())
  return (item) => {
    const captions = item.score * budget >= captionTokens ? 'all' : 'asked about'
    const text = item.kind === 'utterance' ? shownOf(item.text, item.speaker, about, captions) : item.text
    return { ...item, text, tokens: tokensOf(line(1, { ...item, text })) }
  }
}

function leaving({ id, space, kind, score }: Scored, why: LeftOut['why']): LeftOut {
  return { id, space, kind, score, why }
}
