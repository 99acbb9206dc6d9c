/**
 * What is taken of the candidates, and how it is shown. Without a budget the best come, whole. Within a budget what is most likely for its
 * tokens comes: an utterance without its social sentences, under its day, which is said once, in the order of time; each line begins with
 * the number of its item, which is its citation. The tokens are those of the text as it is shown, all of it.
 */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import type { Answer, Evidence, LeftOut } from './answer.ts'
import type { Scored } from './memory.ts'
import type { CheckedRequest } from './request.ts'
import { shownOf } from './shown.ts'
import { stemsOf } from './stems.ts'

/** How much a text's length counts against it: at 0 only its score would count, at 1 its score for each token. */
const lengthWeight = 0.5
/** Only so many of the most likely are looked at more closely, for time: what fits when all are short, and no fewer than the least. */
const examined = { least: 40, most: 400, tokensEach: 5 }

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
  const items = candidates.slice(0, limit).map((item) => ({ ...item, tokens: countTokens(item.text) }))
  const leftOut = candidates.slice(limit).map((item) => leaving(item, 'limit'))
  return { items, text: shownText(items), tokens: items.reduce((sum, { tokens }) => sum + tokens, 0), leftOut }
}

function fitting(
  candidates: readonly Scored[],
  budget: number,
  { limit, query }: Pick<CheckedRequest, 'limit' | 'query'>,
): Answer {
  const about = new Set(stemsOf(query).counts.keys())
  const { least, most, tokensEach } = examined
  const count = Math.min(most, Math.max(least, Math.ceil(budget / tokensEach)))
  const valued = candidates.slice(0, count).map((item) => {
    const text = item.kind === 'utterance' ? shownOf(item.text, item.speaker, about) : item.text
    const tokens = countTokens(line(1, text))
    return { item: { ...item, text, tokens }, value: Math.log(item.score + 1e-9) - lengthWeight * Math.log(tokens) }
  })
  valued.sort((a, b) => b.value - a.value)
  const taken: Evidence[] = []
  const leftOut: LeftOut[] = candidates.slice(count).map((item) => leaving(item, 'budget'))
  const days = new Set<string>()
  let used = 0
  for (const { item } of valued) {
    const day = dayOf(item)
    const cost = item.tokens + (days.has(day) ? 0 : countTokens(`${day}\n`))
    if (taken.length === limit || used + cost > budget) {
      leftOut.push(leaving(item, taken.length === limit ? 'limit' : 'budget'))
      continue
    }
    taken.push(item)
    days.add(day)
    used += cost
  }
  taken.sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
  const text = shownText(taken)
  return { items: taken, text, tokens: countTokens(text), leftOut }
}

function leaving({ id, kind, score }: Scored, why: LeftOut['why']): LeftOut {
  return { id, kind, score, why }
}

/** The items as a text to be read: day by day, each with its number. */
function shownText(items: readonly Evidence[]): string {
  let [shown, last] = ['', '']
  for (const [at, item] of items.entries()) {
    const day = dayOf(item)
    if (day !== last) shown += `${day}\n`
    last = day
    shown += line(at + 1, item.text)
  }
  return shown
}

function line(number: number, text: string): string {
  return `${number} ${text}\n`
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

function dayOf({ at }: Scored): string {
  return at === null ? 'undated' : dayFormat.format(at)
}
