/**
 * Chooses the evidence that fits a budget: repeatedly the candidate that is most likely for the tokens it adds, as long
 * as any fits. The first line of a day also costs the heading of the day, so that a second line costs less.
 */
import type { Evidence, LeftOutMemory } from '../recall-result.ts'
import { tokensOf } from '../text/tokens.ts'
import { type Day, dayOf, heading } from './evidence-text.ts'

/** The weight of a candidate's tokens: at 0 only its score counts, at 1 its score for each token. */
const lengthWeight = 0.8

export interface FittingEvidence {
  readonly taken: readonly Evidence[]
  /** Each with its reason: the limit was reached, or its tokens did not fit. */
  readonly leftOut: readonly (readonly [Evidence, LeftOutMemory['why']])[]
}

interface PackingCandidate {
  readonly item: Evidence
  readonly day: Day
  readonly logScore: number
}

export interface Budget {
  readonly tokens: number
  /** Limit of one item, as long as shorter ones fit. */
  readonly tokensEach: number
}

export function fitBudget(items: readonly Evidence[], budget: Budget, limit: number): FittingEvidence {
  const headings = new Headings()
  const waiting = new Set<PackingCandidate>(
    items.map((item) => ({ item, day: dayOf(item), logScore: Math.log(item.score + 1e-9) })),
  )
  const taken: Evidence[] = []
  let used = 0
  let { tokensEach } = budget
  while (taken.length < limit) {
    let best: { readonly candidate: PackingCandidate; readonly cost: number } | null = null
    let most = Number.NEGATIVE_INFINITY
    for (const candidate of waiting) {
      const cost = candidate.item.tokens + headings.cost(candidate.day)
      if (used + cost > budget.tokens || candidate.item.tokens > tokensEach) continue
      const value = candidate.logScore - lengthWeight * Math.log(cost)
      if (value > most) [best, most] = [{ candidate, cost }, value]
    }
    if (best === null && tokensEach < budget.tokens) {
      // No short item is left: long ones may have the rest.
      tokensEach = budget.tokens
      continue
    }
    if (best === null) break
    waiting.delete(best.candidate)
    headings.show(best.candidate.day)
    taken.push(best.candidate.item)
    used += best.cost
  }
  const why = taken.length === limit ? 'limit' : 'budget'
  return { taken, leftOut: [...waiting].map(({ item }) => [item, why]) }
}

/** The tokens of the day headings that are not shown yet. */
class Headings {
  readonly #years = new Set<string>()
  /** Computed costs, by day. */
  readonly #costs = new Map<Day, number>()

  cost(day: Day): number {
    const known = this.#costs.get(day)
    if (known !== undefined) return known
    const cost = tokensOf(heading(day, this.#years.has(day.year) ? day.year : null))
    this.#costs.set(day, cost)
    return cost
  }

  /** Afterwards the day costs nothing, and the headings of other days in its year cost no year. */
  show(day: Day): void {
    if (!this.#years.has(day.year)) {
      for (const [other, cost] of this.#costs) if (cost > 0 && other.year === day.year) this.#costs.delete(other)
    }
    this.#years.add(day.year)
    this.#costs.set(day, 0)
  }
}
