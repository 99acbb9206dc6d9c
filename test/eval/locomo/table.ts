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

/** Of categories 1 to 4: a method's recall within each budget, its gain over another, and how far conversations lie apart. */
export function surenessOf(scored: ReadonlyMap<string, readonly Scored[]>, than: string): string {
  const lines = budgets.map((budget) => {
    const of = (method: string) => perSample(scored.get(method) ?? [], String(budget))
    const [mine, theirs] = [of(ours), of(than)]
    const all = bootstrap(mine)
    const gain = bootstrap(mine.map((values, i) => values.map((value, j) => value - (theirs[i]?.[j] ?? 0))))
    const each = mine.map(mean)
    return (
      `${String(budget).padStart(5)}  ${interval(all)}  over ${than}: ${interval(gain)}  ` +
      `by conversation ${figure(Math.min(...each))} to ${figure(Math.max(...each))}`
    )
  })
  return lines.join('\n')
}

function perSample(scored: readonly Scored[], budget: string): number[][] {
  const counted = scored.filter(({ category }) => within('1-4', category))
  const samples = Map.groupBy(counted, ({ sample }) => sample)
  return [...samples.values()].map((of) => of.map(({ scores }) => scores.recallAtBudget[budget] ?? 0))
}

function interval({ mean, from, to }: { readonly mean: number; readonly from: number; readonly to: number }): string {
  return `${mean.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`
}
