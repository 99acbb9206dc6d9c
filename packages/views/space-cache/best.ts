/** The best rows by score. */
import type { Hit } from '../port.ts'
import type { Row } from '../row.ts'
import type { SpaceRows } from './space-rows.ts'

/** Best first; equal scores by id. @param scores of the rows in `numbers`, in the same order */
export function best<R extends Row>(
  rows: SpaceRows,
  numbers: readonly number[],
  scores: readonly number[],
  limit: number,
): readonly Hit<R>[] {
  const least = numbers.length <= limit ? -Infinity : (new Float64Array(scores).sort().at(-limit) ?? -Infinity)
  const ids = rows.column('id') as readonly string[]
  const hits: { readonly id: string; readonly number: number; readonly score: number }[] = []
  for (const [at, number] of numbers.entries()) {
    const score = scores[at] ?? 0
    if (score >= least) hits.push({ id: ids[number] ?? '', number, score })
  }
  hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  return hits.slice(0, limit).map(({ number, score }) => ({ row: rows.row(number) as R, score }))
}
