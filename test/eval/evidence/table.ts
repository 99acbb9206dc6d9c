/**
 * The measures of all methods as figures and as text: a row for each method, and the confidence intervals of the
 * differences.
 */
import { mean } from '../mean.ts'
import { bootstrap, type Interval } from './bootstrap.ts'
import { budgets, cutoffs, isInGroup, type Measures, type ScoredQuestion } from './measures.ts'

export const loomlogMethod = 'loomlog'

const figure = (value: number | undefined) => (value ?? 0).toFixed(3).replace(/^0/, '').padStart(5)
const heads = [...budgets.map(String), ...cutoffs.map((k) => `R@${k}`), 'nDCG']
  .map((head) => head.padStart(5))
  .join(' ')

export function tableOf(methods: ReadonlyMap<string, Measures>, group: string): string {
  const width = Math.max(...[...methods.keys()].map((name) => name.length))
  const lines = [...methods].map(([name, { recallAtBudget, recallAtK, ndcgAt10 }]) => {
    const values = [
      ...budgets.map((budget) => recallAtBudget[group]?.[budget]),
      ...cutoffs.map((k) => recallAtK[group]?.[k]),
      ndcgAt10[group],
    ]
    return `${name.padEnd(width)}  ${values.map(figure).join(' ')}`
  })
  return [`${`category ${group}`.padEnd(width)}  ${heads}`, ...lines].join('\n')
}

/** loomlog's recall within one budget, over all questions with an answer. Intervals are of 95 %. */
export interface Spread {
  readonly interval: Interval
  /** Over the conversations. */
  readonly lowest: number
  readonly highest: number
  /** The gain over the linear score; null without one. */
  readonly overLinear: Interval | null
}

export function spreadOf(
  scored: ReadonlyMap<string, readonly ScoredQuestion[]>,
  linear: string | null,
  group: string,
): { readonly [budget: string]: Spread } {
  const spreads = budgets.map((budget) => {
    const recallOf = (method: string) => perSample(scored.get(method) ?? [], budget, group)
    const means = recallOf(loomlogMethod).map(mean)
    return {
      interval: bootstrap(recallOf(loomlogMethod)),
      lowest: Math.min(...means),
      highest: Math.max(...means),
      overLinear: linear === null ? null : bootstrap(difference(recallOf(loomlogMethod), recallOf(linear))),
    }
  })
  return Object.fromEntries(budgets.map((budget, at) => [budget, spreads[at] as Spread]))
}

export function spreadText(spread: { readonly [budget: string]: Spread }): string {
  const lines = Object.entries(spread).map(([budget, { interval, lowest, highest, overLinear }]) => {
    const over = overLinear === null ? '' : `over the linear score: ${intervalText(overLinear)}  `
    return `${budget.padStart(5)}  ${intervalText(interval)}  ${over}by conversation ${figure(lowest)} to ${figure(highest)}`
  })
  return lines.join('\n')
}

const lossBudgets = [250, 1000] as const
type Losses = { readonly [budget in (typeof lossBudgets)[number]]: Interval }

/** By method: its loss of recall against the complete method. */
export function lossesOf(
  scored: ReadonlyMap<string, readonly ScoredQuestion[]>,
  whole: string,
  group: string,
): ReadonlyMap<string, Losses> {
  const recallOf = (name: string, budget: number) => perSample(scored.get(name) ?? [], budget, group)
  const lossOf = (name: string, budget: number) =>
    bootstrap(difference(recallOf(whole, budget), recallOf(name, budget)))
  const names = [...scored.keys()].filter((name) => name !== whole)
  return new Map(names.map((name) => [name, { 250: lossOf(name, 250), 1000: lossOf(name, 1000) }]))
}

export function lossesText(losses: ReadonlyMap<string, Losses>): string {
  const width = Math.max(...[...losses.keys()].map((name) => name.length))
  const head = `${''.padEnd(width)}  ${lossBudgets.map((budget) => String(budget).padEnd(24)).join('')}`
  const lines = [...losses].map(
    ([name, loss]) => `${name.padEnd(width)}  ${lossBudgets.map((budget) => intervalText(loss[budget])).join('  ')}`,
  )
  return [head, ...lines].join('\n')
}

type PerSample = readonly (readonly number[])[]

/** The recall of each question of the group, by conversation. */
function perSample(scored: readonly ScoredQuestion[], budget: number, group: string): PerSample {
  const counted = scored.filter(({ category }) => isInGroup(group, category))
  const samples = Map.groupBy(counted, ({ sample }) => sample)
  return [...samples.values()].map((of) => of.map(({ scores }) => scores.recallAtBudget[budget] ?? 0))
}

function difference(these: PerSample, those: PerSample): PerSample {
  return these.map((values, i) => values.map((value, j) => value - (those[i]?.[j] ?? 0)))
}

function intervalText({ mean, from, to }: Interval): string {
  return `${mean.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`
}
