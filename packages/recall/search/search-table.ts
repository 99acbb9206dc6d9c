/**
 * Searches one view table of a space by words and by meaning. Scores of words are shares of the best hit and cosines
 * are at least 0, so that scores of different tables can be compared.
 */
import { terms } from '@loomlog/language/terms'
import { and, type Condition } from '@loomlog/views/condition'
import type { Hit } from '@loomlog/views/port'
import type { ViewReader } from '@loomlog/views/reader'
import type { Row } from '@loomlog/views/row'
import type { RowOf, Table } from '@loomlog/views/table'
import { conditionOf, type Scope } from '../request/filter.ts'

export interface TableSearch<R extends Row = Row> {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** One vector search runs for each. */
  readonly vectors: readonly Float32Array[]
  readonly scope: Scope
  /** Hits of the full-text search, and of each vector search. */
  readonly limit: number
  /** A further condition on the rows. */
  readonly where?: Condition<R>
}

/** By the row's id. */
export type Scores = ReadonlyMap<string, number>

export interface TableHits<R extends Row = Row> {
  readonly rows: ReadonlyMap<string, R>
  /** Full-text scores, as shares of the best. */
  readonly wordShares: Scores
  /** By vector of the search. */
  readonly cosines: readonly Scores[]
}

/** Without a scope, `where` is the whole condition. */
export async function searchTable<T extends Table>(
  table: T,
  search: Omit<TableSearch<RowOf<T>>, 'scope'> & { readonly scope?: Scope },
  views: ViewReader,
): Promise<TableHits<RowOf<T>>> {
  const { space, query, vectors, scope, limit, where: further } = search
  const inScope = scope === undefined ? [] : [conditionOf(scope) as Condition<RowOf<T>>]
  const where = and<RowOf<T>>(...inScope, ...(further === undefined ? [] : [further]))
  const bounds = { space, where, limit }
  const [byWords, ...byMeaning] = await Promise.all([
    views.fullText(table, { ...bounds, query: contentWords(query) }),
    ...vectors.map((vector) => views.nearest(table, { ...bounds, vector })),
  ])
  const best = byWords[0]?.score ?? 1
  return {
    rows: new Map([...byWords, ...byMeaning.flat()].map(({ row }) => [row.id, row])),
    wordShares: scoresOf(byWords, (score) => score / best),
    cosines: byMeaning.map((hits) => scoresOf(hits, (score) => Math.max(0, score))),
  }
}

/** The query without stop words. A query of stop words alone, or in a language without a list of them, stays whole. */
export function contentWords(query: string): string {
  const words = query.split(/\s+/).filter((word) => terms(word).length > 0)
  return words.length > 0 ? words.join(' ') : query
}

function scoresOf(hits: readonly Hit[], scaled: (score: number) => number): Scores {
  return new Map(hits.map(({ row, score }) => [row.id, scaled(score)]))
}
