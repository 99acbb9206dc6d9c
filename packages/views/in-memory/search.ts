/** Brute-force searches over rows in memory. */

import { bm25Scores } from '@loomlog/language/bm25'
import { type Condition, compareValues, holds } from '../condition.ts'
import { defaultOrder, type Hit, type OrderBy, type Search } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { type Row, rowKey } from '../row.ts'
import type { RowOf, Table } from '../table.ts'
import { wordsOf } from '../words.ts'

type Rows = ReadonlyMap<string, StoredRow>

/** The words of rows, which never change. */
const wordsByRow = new WeakMap<Row, readonly string[]>()

interface InSpace {
  readonly space: string
  readonly where?: Condition<never>
}

type ScanOf = Parameters<Search['scan']>[1]

export function searchIn(rowsOf: (table: Table) => Rows): Search {
  return {
    async fullText<T extends Table>(table: T, { query, limit, ...search }: Parameters<Search['fullText']>[1]) {
      const rows = [...rowsOf(table).values()]
      const scores = bm25Scores(rows.map(wordsIn), wordsOf(query))
      const hits = rows.flatMap((row, at) => {
        return isWithin(row, search) ? [{ row: withoutVector<T>(row), score: scores[at] ?? 0 }] : []
      })
      return best(hits, limit)
    },
    async nearest<T extends Table>(table: T, { vector, limit, ...search }: Parameters<Search['nearest']>[1]) {
      const hits = within(rowsOf(table), search).flatMap((row) => {
        const score = row.vector && cosine(vector, row.vector)
        return score === null || Number.isNaN(score) ? [] : [{ row: withoutVector<T>(row), score }]
      })
      return hits.sort(byScore).slice(0, Math.max(0, limit))
    },
    async byIds<T extends Table>(table: T, space: string, ids: readonly string[]) {
      const rows = ids.map((id) => rowsOf(table).get(rowKey(space, id)))
      return rows.filter((row) => row !== undefined && !row.deleted).map((row) => withoutVector<T>(row as StoredRow))
    },
    async scan<T extends Table>(table: T, { limit, skip = 0, orderBy = defaultOrder, ...search }: ScanOf) {
      const rows = within(rowsOf(table), search).sort(inOrder(orderBy))
      return rows.slice(skip, skip + Math.max(0, limit)).map((row) => withoutVector<T>(row))
    },
    count: async (table, search) => within(rowsOf(table), search).length,
  }
}

function wordsIn(row: Row): readonly string[] {
  const words = wordsByRow.get(row) ?? wordsOf(row.text)
  wordsByRow.set(row, words)
  return words
}

function within(rows: Rows, search: InSpace): StoredRow[] {
  return [...rows.values()].filter((row) => isWithin(row, search))
}

function isWithin(row: StoredRow, { space, where }: InSpace): boolean {
  return row.space === space && !row.deleted && (!where || holds(where, row))
}

function withoutVector<T extends Table>({ vector: _, ...row }: StoredRow): RowOf<T> {
  return row as RowOf<T>
}

function best<R extends Row>(hits: readonly Hit<R>[], limit: number): readonly Hit<R>[] {
  return hits
    .filter(({ score }) => score > 0)
    .sort(byScore)
    .slice(0, Math.max(0, limit))
}

function byScore(a: Hit, b: Hit): number {
  return b.score - a.score || (a.row.id < b.row.id ? -1 : 1)
}

/** A row without a value comes last, in both directions. */
function inOrder(orderBy: readonly OrderBy[]): (a: StoredRow, b: StoredRow) => number {
  return (a, b) => {
    for (const { by, direction } of orderBy) {
      const [x, y] = [a[by], b[by]]
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      const difference = compareValues(x, y)
      if (difference !== 0) return direction === 'ascending' ? difference : -difference
    }
    return 0
  }
}

/** NaN if one of the vectors is zero. */
function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
