/** The searches of the port over the rows of one space in memory. They find the same rows as the store. */
import { compareValues, type Expression } from '../condition.ts'
import { defaultOrder, type Hit, maxQueryChars, type OrderBy, type Scan } from '../port.ts'
import type { Row } from '../row.ts'
import type { Table } from '../table.ts'
import { wordsOf } from '../words.ts'
import { bestRows } from './best-rows.ts'
import { cosines } from './cosines.ts'
import { matchingRows, rowMatcher } from './find-rows.ts'
import { bm25 } from './full-text.ts'
import type { SpaceRows } from './space-rows.ts'

interface Where {
  readonly where?: Expression
}

export function fullText<R extends Row>(
  rows: SpaceRows,
  { query, limit, where }: Where & { readonly query: string; readonly limit: number },
): readonly Hit<R>[] {
  if (limit < 1) return []
  const { numbers, scores } = bm25(rows, new Set(wordsOf(query.slice(0, maxQueryChars))))
  return bestRows(rows, numbers.filter(rowMatcher(rows, where)), scores, limit)
}

export function nearest<R extends Row>(
  rows: SpaceRows,
  { vector, limit, where }: Where & { readonly vector: Float32Array; readonly limit: number },
): readonly Hit<R>[] {
  if (limit < 1 || vector.every((value) => value === 0)) return []
  const scores = cosines(rows, vector)
  const matches = matchingRows(rows, where)
  const numbers = new Int32Array(matches.length)
  let count = 0
  for (let at = 0; at < matches.length; at += 1) {
    const number = matches[at] as number
    if (!Number.isNaN(scores[number])) numbers[count++] = number
  }
  return bestRows(rows, numbers.subarray(0, count), scores, limit)
}

export function byIds<R extends Row>(rows: SpaceRows, ids: readonly string[]): readonly R[] {
  return ids.flatMap((id) => {
    const number = rows.numberOf(id)
    return number === undefined ? [] : [rows.row(number) as R]
  })
}

export function scan<R extends Row>(
  rows: SpaceRows,
  { limit, skip = 0, orderBy = defaultOrder, where }: Where & Pick<Scan<Table>, 'limit' | 'skip' | 'orderBy'>,
): readonly R[] {
  const numbers = Array.from(matchingRows(rows, where)).sort(inOrder(rows, orderBy))
  return numbers.slice(skip, skip + Math.max(0, limit)).map((number) => rows.row(number) as R)
}

export function count(rows: SpaceRows, { where }: Where): number {
  return where === undefined ? rows.size : matchingRows(rows, where).length
}

/** A row without a value comes last, in both directions. */
function inOrder(rows: SpaceRows, orderBy: readonly OrderBy[]): (a: number, b: number) => number {
  const columns = orderBy.map(({ by, direction }) => {
    const values = rows.column(by) as readonly (string | number | null)[]
    return { values, sign: direction === 'ascending' ? 1 : -1 }
  })
  return (a, b) => {
    for (const { values, sign } of columns) {
      const [x = null, y = null] = [values[a], values[b]]
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      const difference = compareValues(x, y)
      if (difference !== 0) return sign * difference
    }
    return 0
  }
}
