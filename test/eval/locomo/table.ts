/** The measures as people read them: a row a method, and what of it is sure. */
import { bootstrap } from './bootstrap.ts'
import { budgets, cutoffs, type Measured, mean, type Scored, within } from './measures.ts'

export const ours = 'loomlog'

const figure = (value: number | undefined) => (value ?? 0).toFixed(3).replace(/^0/, '').padStart(5)
const heads = [...budgets.map(String), ...cutoffs.map((k) => `R@${k}`), 'nDCG']
  .map((head) => head.padStart(5))
  .join(' ')

export function tableOf(methods: ReadonlyMap<string, Measured>, group: string): string {
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

/** Of categories 1 to 4: a method's recall within each budget, its gain over another if there is one, and how far conversations lie apart. */
export function surenessOf(scored: ReadonlyMap<string, readonly Scored[]>, than: string | null): string {
  const lines = budgets.map((budget) => {
    const of = (method: string) => perSample(scored.get(method) ?? [], budget, '1-4')
    const each = of(ours).map(mean)
    const over = than === null ? '' : `over ${than}: ${interval(bootstrap(difference(of(ours), of(than))))}  `
    return (
      `${String(budget).padStart(5)}  ${interval(bootstrap(of(ours)))}  ${over}` +
      `by conversation ${figure(Math.min(...each))} to ${figure(Math.max(...each))}`
    )
  })
  return lines.join('\n')
}

const lossBudgets = [250, 1000] as const

/** How much less each of the others recalls than the whole, and whether that is sure. */
export function lossesOf(scored: ReadonlyMap<string, readonly Scored[]>, whole: string, group: string): string {
  const of = (name: string, budget: number) => perSample(scored.get(name) ?? [], budget, group)
  const names = [...scored.keys()].filter((name) => name !== whole)
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => {
    const losses = lossBudgets.map((budget) => interval(bootstrap(difference(of(whole, budget), of(name, budget)))))
    return `${name.padEnd(width)}  ${losses.join('  ')}`
  })
  return [`${''.padEnd(width)}  ${lossBudgets.map((budget) => String(budget).padEnd(24)).join('')}`, ...lines].join(
    '\n',
  )
}

type PerSample = readonly (readonly number[])[]

/** The recall of each question of the group, by conversation. */
function perSample(scored: readonly Scored[], budget: number, group: string): PerSample {
  const counted = scored.filter(({ category }) => within(group, category))
  const samples = Map.groupBy(counted, ({ sample }) => sample)
  return [...samples.values()].map((of) => of.map(({ scores }) => scores.recallAtBudget[budget] ?? 0))
}

function difference(these: PerSample, those: PerSample): PerSample {
  return these.map((values, i) => values.map((value, j) => value - (those[i]?.[j] ?? 0)))
}

function interval({ mean, from, to }: { readonly mean: number; readonly from: number; readonly to: number }): string {
  return `${mean.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`
}
