/**
 * Which evidence comes within a budget: one after the other, always what is most likely for the tokens that it adds, its day's heading among
 * them, as long as anything fits. So a second line of a day costs less than the first.
 */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import type { Evidence } from './answer.ts'
import { type Day, dayOf, heading } from './shown-text.ts'

/** How much the tokens that it adds count against a candidate: at 0 only its score would count, at 1 its score for each token. */
const lengthWeight = 0.8

export interface Fitted {
  readonly taken: readonly Evidence[]
  /** With what they lost to: there were enough already, or their tokens did not fit. */
  readonly left: readonly (readonly [Evidence, 'limit' | 'budget'])[]
}

interface Waiting {
  readonly item: Evidence
  readonly day: Day
  readonly worth: number
}

export function fit(items: readonly Evidence[], budget: number, limit: number): Fitted {
  const headings = new Headings()
  const waiting = new Set<Waiting>(
    items.map((item) => ({ item, day: dayOf(item), worth: Math.log(item.score + 1e-9) })),
  )
  const taken: Evidence[] = []
  let used = 0
  while (taken.length < limit) {
    let best: { readonly one: Waiting; readonly cost: number } | null = null
    let most = Number.NEGATIVE_INFINITY
    for (const one of waiting) {
      const cost = one.item.tokens + headings.cost(one.day)
      if (used + cost > budget) continue
      const value = one.worth - lengthWeight * Math.log(cost)
      if (value > most) [best, most] = [{ one, cost }, value]
    }
    if (best === null) break
    waiting.delete(best.one)
    headings.show(best.one.day)
    taken.push(best.one.item)
    used += best.cost
  }
  const why = taken.length === limit ? 'limit' : 'budget'
  return { taken, left: [...waiting].map(({ item }) => [item, why]) }
}

/** What the headings take that are not shown yet. */
class Headings {
  readonly #shown = new Set<string>()
  readonly #tokens = new Map<string, number>()

  cost(day: Day): number {
    if (this.#shown.has(`${day.name} ${day.year}`)) return 0
    const text = heading(day, this.#shown.has(day.year) ? day.year : null)
    const known = this.#tokens.get(text) ?? countTokens(text)
    this.#tokens.set(text, known)
    return known
  }

  show({ name, year }: Day): void {
    this.#shown.add(year).add(`${name} ${year}`)
  }
}
