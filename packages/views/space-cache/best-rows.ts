/** The best rows by score. */
import type { Hit } from '../port.ts'
import type { Row } from '../row.ts'
import type { SpaceRows } from './space-rows.ts'

/** The best of the rows in `numbers`, best first; equal scores by id. @param scores by the number of the row */
export function bestRows<R extends Row>(
  rows: SpaceRows,
  numbers: ArrayLike<number>,
  scores: Float64Array,
  limit: number,
): readonly Hit<R>[] {
  const least = nthHighest(numbers, scores, limit)
  const ids = rows.column('id') as readonly string[]
  const hits: { readonly id: string; readonly number: number; readonly score: number }[] = []
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] as number
    const score = scores[number] as number
    if (score >= least) hits.push({ id: ids[number] ?? '', number, score })
  }
  hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  return hits.slice(0, limit).map(({ number, score }) => ({ row: rows.result(number) as R, score }))
}

/**
 * The `n`-th highest score; -Infinity for `n` scores or fewer. A heap holds the `n` highest, with the least at its
 * root, so most scores need one comparison.
 */
function nthHighest(numbers: ArrayLike<number>, scores: Float64Array, n: number): number {
  if (numbers.length <= n) return -Infinity
  const heap = new Float64Array(n)
  for (let at = 0; at < n; at += 1) heap[at] = scores[numbers[at] as number] as number
  heap.sort()
  for (let at = n; at < numbers.length; at += 1) {
    const score = scores[numbers[at] as number] as number
    if (score > (heap[0] as number)) sink(heap, score)
  }
  return heap[0] ?? -Infinity
}

/** Replaces the root, and restores the heap. */
function sink(heap: Float64Array, score: number): void {
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child += 1
    if ((heap[child] as number) >= score) break
    heap[at] = heap[child] as number
    at = child
  }
  heap[at] = score
}
