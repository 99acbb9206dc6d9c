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
  const least = nthHighest(scores, limit)
  const ids = rows.column('id') as readonly string[]
  const hits: { readonly id: string; readonly number: number; readonly score: number }[] = []
  for (const [at, number] of numbers.entries()) {
    const score = scores[at] ?? 0
    if (score >= least) hits.push({ id: ids[number] ?? '', number, score })
  }
  hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  return hits.slice(0, limit).map(({ number, score }) => ({ row: rows.row(number) as R, score }))
}

/** The `n`-th highest value, or -Infinity of fewer. A heap of the `n` highest, whose root is the least of them: most values are compared with it only. */
function nthHighest(values: readonly number[], n: number): number {
  if (values.length <= n) return -Infinity
  const heap = Float64Array.from(values.slice(0, n)).sort()
  for (let at = n; at < values.length; at += 1) {
    const value = values[at] as number
    if (value > (heap[0] as number)) sink(heap, value)
  }
  return heap[0] ?? -Infinity
}

/** Replaces the root. */
function sink(heap: Float64Array, value: number): void {
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child += 1
    if ((heap[child] as number) >= value) break
    heap[at] = heap[child] as number
    at = child
  }
  heap[at] = value
}
