/**
 * Which evidence comes within a budget: one after the other, always what is most likely for the tokens that it adds, its day's heading among
 * them, as long as anything fits. So a second line of a day costs less than the first.
 */
import type { Evidence } from '../recall-result.ts'
import { tokensOf } from '../text/tokens.ts'
import { type Day, dayOf, heading } from './evidence-text.ts'

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
  readonly #years = new Set<string>()
  /** Of the days that were asked for, as long as it holds. */
  readonly #costs = new Map<Day, number>()

  cost(day: Day): number {
    const known = this.#costs.get(day)
    if (known !== undefined) return known
    const cost = tokensOf(heading(day, this.#years.has(day.year) ? day.year : null))
    this.#costs.set(day, cost)
    return cost
  }

  /** From then on it costs nothing, and the other days of its year go without the year. */
  show(day: Day): void {
    if (!this.#years.has(day.year)) {
      for (const [other, cost] of this.#costs) if (cost > 0 && other.year === day.year) this.#costs.delete(other)
    }
    this.#years.add(day.year)
    this.#costs.set(day, 0)
  }
}
