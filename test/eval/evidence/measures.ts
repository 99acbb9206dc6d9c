/**
 * The share of the gold evidence that a ranking recalls. At k a ranked item counts as one, regardless of its length; it
 * covers every gold turn among its sources. Within a budget of tokens, items are taken best first as long as they fit,
 * and an item that doesn't fit is skipped. A method may pack its items itself and shorten them, as loomlog does. An
 * item costs the tokens of its text as shown; a shortened one still covers all its turns, however little of their text
 * it shows. So a method that shortens is also measured packed whole.
 */
import { mean } from '../mean.ts'

export const cutoffs = [1, 5, 10, 25] as const
export const budgets = [250, 500, 1000, 2000, 4000] as const
const ndcgAt = 10

export interface Item {
  /** Ids of the turns that it cites. */
  readonly turns: readonly string[]
  readonly tokens: number
}

/** The items of a method, best first, and the items that it packed into each budget. */
export interface MethodOutput {
  readonly ranked: readonly Item[]
  readonly packed?: ReadonlyMap<number, readonly Item[]>
}

/** One question under one method. */
export interface Scores {
  readonly recallAtK: { readonly [k: string]: number }
  readonly recallAtBudget: { readonly [budget: string]: number }
  readonly ndcgAt10: number
}

export function scoresOf(gold: readonly string[], { ranked, packed }: MethodOutput): Scores {
  const wanted = new Set(gold)
  const recall = (items: readonly Item[]) => {
    const held = new Set(items.flatMap(({ turns }) => turns).filter((turn) => wanted.has(turn)))
    return held.size / wanted.size
  }
  return {
    recallAtK: Object.fromEntries(cutoffs.map((k) => [k, recall(ranked.slice(0, k))])),
    recallAtBudget: Object.fromEntries(
      budgets.map((budget) => [budget, recall(packed?.get(budget) ?? fit(ranked, budget))]),
    ),
    ndcgAt10: ndcg(wanted, ranked),
  }
}

function fit(ranked: readonly Item[], budget: number): readonly Item[] {
  let left = budget
  return ranked.filter(({ tokens }) => {
    if (tokens > left) return false
    left -= tokens
    return true
  })
}

/**
 * The same ranking, with each item charged for the whole text of its turns, as the baselines are. A further item of the
 * same turns, such as another part of a long message, adds nothing and is left out.
 * @param turns each with its tokens
 */
export function packWhole({ ranked }: MethodOutput, turns: readonly Item[]): MethodOutput {
  const tokensOf = new Map(turns.flatMap((item) => item.turns.map((id) => [id, item.tokens] as const)))
  const whole = ({ turns: cited }: Item): Item => {
    const costs = cited.map((id) => {
      const tokens = tokensOf.get(id)
      if (tokens === undefined) throw new Error(`${id} is cited: expected a turn of the conversation`)
      return tokens
    })
    return { turns: cited, tokens: costs.reduce((sum, tokens) => sum + tokens, 0) }
  }
  const shown = new Set<string>()
  const first = ranked.filter(({ turns: cited }) => {
    const isNew = cited.some((id) => !shown.has(id))
    for (const id of cited) shown.add(id)
    return isNew
  })
  return { ranked: first.map(whole) }
}

/**
 * An item gains if it has a gold turn that no earlier item has. The ideal ranking has a gold turn at each of the first
 * ranks.
 */
function ndcg(wanted: ReadonlySet<string>, ranked: readonly Item[]): number {
  const missing = new Set(wanted)
  let gained = 0
  for (const [rank, { turns }] of ranked.slice(0, ndcgAt).entries()) {
    const isHit = turns.some((turn) => missing.has(turn))
    for (const turn of turns) missing.delete(turn)
    if (isHit) gained += 1 / Math.log2(rank + 2)
  }
  const ideal = Array.from({ length: Math.min(wanted.size, ndcgAt) }, (_, rank) => 1 / Math.log2(rank + 2))
  return gained / ideal.reduce((sum, gain) => sum + gain, 0)
}

export interface ScoredQuestion {
  readonly sample: string
  readonly category: string
  readonly scores: Scores
}

/** Categories of questions without an answer in the memory: LoCoMo's, BEAM's and the corpus's. */
const withoutAnswer: ReadonlySet<string> = new Set(['5', 'abstention', 'never'])

export function hasAnswer({ category }: { readonly category: string }): boolean {
  return !withoutAnswer.has(category)
}

/** Groups of all questions with an answer, as LoCoMo and BEAM call them. */
const allWithAnswer: ReadonlySet<string> = new Set(['1-4', 'all'])

/** Means over the questions of each group: a category, or all questions with an answer. */
export interface Measures {
  readonly recallAtK: Table
  readonly recallAtBudget: Table
  readonly ndcgAt10: { readonly [group: string]: number }
}
type Table = { readonly [group: string]: { readonly [at: string]: number } }

export function measuresOf(all: readonly ScoredQuestion[], groups: readonly string[]): Measures {
  const table = (value: (scores: Scores, at: string) => number, ats: readonly number[]) =>
    byGroup(all, groups, (of) =>
      Object.fromEntries(ats.map((at) => [at, mean(of.map(({ scores }) => value(scores, String(at))))])),
    )
  return {
    recallAtK: table(({ recallAtK }, at) => recallAtK[at] ?? 0, cutoffs),
    recallAtBudget: table(({ recallAtBudget }, at) => recallAtBudget[at] ?? 0, budgets),
    ndcgAt10: byGroup(all, groups, (of) => mean(of.map(({ scores }) => scores.ndcgAt10))),
  }
}

function byGroup<T>(
  all: readonly ScoredQuestion[],
  groups: readonly string[],
  of: (scored: readonly ScoredQuestion[]) => T,
): { [group: string]: T } {
  return Object.fromEntries(
    groups.map((group) => [group, of(all.filter(({ category }) => isInGroup(group, category)))]),
  )
}

export function isInGroup(group: string, category: string): boolean {
  return group === category || (allWithAnswer.has(group) && hasAnswer({ category }))
}
