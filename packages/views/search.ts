/**
 * Everything that is read from a shard. What always holds: a search is within one space; what was removed never comes back; what
 * people typed is text to look for and never syntax; and what is committed is found at once, also by other processes.
 */
import { MatchQuery, type Query, type Table, type VectorQuery } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { type Condition, sql } from './condition.ts'
import { columns, decodeRows, type FoundRow, rowKey } from './row.ts'

interface InSpace {
  /** `tenant/space` */
  readonly space: string
  readonly where?: Condition
}

export interface Hit {
  readonly row: FoundRow
  /** Higher is better: BM25 for full text, cosine similarity for vectors. Not comparable between the two. */
  readonly score: number
}

export interface Order {
  readonly by: 'seq' | 'ordinal' | 'at' | 'validFrom' | 'validTo' | 'knownFrom' | 'knownTo' | 'offset' | 'id'
  readonly direction: 'ascending' | 'descending'
}

export interface Search {
  /** Rows with any of the query's words, best first; equal scores by id. Words are found in any script, English ones by their stem. */
  fullText(table: string, search: InSpace & { readonly query: string; readonly limit: number }): Promise<readonly Hit[]>
  /** Rows with the most similar vectors, exactly, nearest first. Rows without a vector, or with a zero one, are never near. */
  nearest(
    table: string,
    search: InSpace & { readonly vector: Float32Array; readonly limit: number },
  ): Promise<readonly Hit[]>
  /** In the order of `ids`; those that aren't there are left out. */
  byIds(
    table: string,
    search: { readonly space: string; readonly ids: readonly string[] },
  ): Promise<readonly FoundRow[]>
  /** By seq, ordinal and id unless told otherwise. Rows without a value come last. */
  scan(
    table: string,
    search: InSpace & { readonly limit: number; readonly orderBy?: readonly Order[] },
  ): Promise<readonly FoundRow[]>
  count(table: string, search: InSpace): Promise<number>
}

/** A query is cut to this many characters: more words find nothing better, and 100 KB of them take a third of a second. */
const maxQueryChars = 4_000

const allColumns = Object.values(columns)
const defaultOrder: readonly Order[] = [
  { by: 'seq', direction: 'ascending' },
  { by: 'ordinal', direction: 'ascending' },
  { by: 'id', direction: 'ascending' },
]

export function searchIn(tableOf: (name: string) => Table): Search {
  return {
    async fullText(table, search) {
      const words = search.query.slice(0, maxQueryChars).toWellFormed().trim()
      if (words === '' || search.limit < 1) return []
      const query = tableOf(table)
        .query()
        .fullTextSearch(new MatchQuery(words, 'text'), { columns: ['text'] })
      const hits = await collect(
        query
          .where(filter(search))
          .limit(search.limit)
          .select([...allColumns, '_score']),
        (batch) => scored(batch, '_score', (score) => score),
      )
      return hits.sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
    },
    async nearest(table, search) {
      if (search.limit < 1 || search.vector.every((value) => value === 0)) return []
      const query = tableOf(table).query().nearestTo(search.vector).distanceType('cosine')
      const hits = await collect(
        query
          .where(filter(search))
          .limit(search.limit)
          .select([...allColumns, '_distance']),
        (batch) => scored(batch, '_distance', (distance) => 1 - distance),
      )
      return hits.sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
    },
    async byIds(table, { space, ids }) {
      if (ids.length === 0) return []
      const where = sql`key IN ${ids.map((id) => rowKey(space, id))}`
      const query = tableOf(table).query().where(filter({ space, where })).limit(ids.length)
      const rows = await collect(query.select(allColumns), decodeRows)
      const byId = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
    },
    async scan(table, search) {
      if (search.limit < 1) return []
      const query = tableOf(table).query().where(filter(search)).limit(search.limit)
      return await collect(query.orderBy((search.orderBy ?? defaultOrder).map(ordering)).select(allColumns), decodeRows)
    },
    count: async (table, search) => await tableOf(table).countRows(filter(search)),
  }
}

/** It narrows before the search, so that rows of other spaces take no places among the first `limit`. */
function filter({ space, where }: InSpace): string {
  return (where ? sql`space = ${space} AND NOT deleted AND ${where}` : sql`space = ${space} AND NOT deleted`).text
}

function ordering({ by, direction }: Order) {
  return { columnName: columns[by], ascending: direction === 'ascending', nullsFirst: false }
}

async function collect<T>(query: Query | VectorQuery, decode: (batch: RecordBatch) => readonly T[]): Promise<T[]> {
  const found: T[] = []
  for await (const batch of query) found.push(...decode(batch))
  return found
}

function scored(batch: RecordBatch, column: string, toScore: (value: number) => number): Hit[] {
  const values = batch.getChild(column)
  return decodeRows(batch).map((row, index) => ({ row, score: toScore(values?.get(index)) }))
}
