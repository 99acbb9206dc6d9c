/**
 * Searches of one shard's tables. Rows are filtered by space before the search, so other spaces take no places among
 * the first `limit`.
 */
import { type Table as LanceTable, MatchQuery, type Query, type VectorQuery } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { and, type Condition, equals } from '../condition.ts'
import { defaultOrder, type Hit, maxQueryChars, type OrderBy, type Search } from '../port.ts'
import { type Row, rowKey } from '../row.ts'
import type { RowOf, Table } from '../table.ts'
import { checkedVectors, decodeCheckedRows, rowColumns, storedColumns } from './arrow.ts'
import { withViewErrors } from './errors.ts'
import { columnName, literal, toSql } from './sql.ts'

type ScanOf = Parameters<Search['scan']>[1]

export function searchIn(openTable: (table: Table) => LanceTable): Search {
  return {
    async fullText(table, { query, limit, ...search }) {
      const words = query.slice(0, maxQueryChars).toWellFormed().trim()
      if (words === '' || limit < 1) return []
      const matching = openTable(table)
        .query()
        .fullTextSearch(new MatchQuery(words, 'text'), { columns: ['text'] })
      const wanted = matching.where(filter(table, search)).limit(limit)
      return best(await scored(table, wanted.select([...rowColumns(table), '_score']), '_score', (score) => score))
    },
    async nearest(table, { vector, limit, ...search }) {
      if (limit < 1 || vector.every((value) => value === 0)) return []
      const near = openTable(table).query().nearestTo(vector).distanceType('cosine')
      const wanted = near.where(filter(table, search)).limit(limit)
      return best(
        await scored(table, wanted.select([...storedColumns(table), '_distance']), '_distance', (far) => 1 - far),
      )
    },
    async byIds<T extends Table>(table: T, space: string, ids: readonly string[]) {
      if (ids.length === 0) return []
      const keys = ids.map((id) => literal(rowKey(space, id))).join(', ')
      const where = `key IN (${keys}) AND ${filter(table, { space })}`
      const query = openTable(table).query().where(where).limit(ids.length).select(rowColumns(table))
      const rows = new Map((await collected(table, query)).map((row) => [row.id, row as RowOf<T>]))
      return ids.map((id) => rows.get(id)).filter((row) => row !== undefined)
    },
    async scan<T extends Table>(table: T, { limit, skip = 0, orderBy = defaultOrder, ...search }: ScanOf) {
      if (limit < 1) return []
      const query = openTable(table).query().where(filter(table, search)).limit(limit).offset(skip)
      return (await collected(table, query.orderBy(orderBy.map(ordering)).select(rowColumns(table)))) as RowOf<T>[]
    },
    count: (table, search) => withViewErrors(() => openTable(table).countRows(filter(table, search))),
  }
}

export function filter(table: Table, { space, where = and() }: { space: string; where?: Condition<never> }): string {
  return toSql(and(equals('space', space), equals('deleted', false), where), table)
}

function ordering({ by, direction }: OrderBy) {
  return { columnName: columnName(by), ascending: direction === 'ascending', nullsFirst: false }
}

function collected(table: Table, query: Query): Promise<Row[]> {
  return withViewErrors(async () => {
    const found: Row[] = []
    for await (const recordBatch of query) found.push(...decodeCheckedRows(table, recordBatch))
    return found
  })
}

function scored<T extends Table>(
  table: T,
  query: Query | VectorQuery,
  column: string,
  toScore: (value: number) => number,
): Promise<Hit<RowOf<T>>[]> {
  return withViewErrors(async () => {
    const found: Hit<RowOf<T>>[] = []
    for await (const recordBatch of query as AsyncIterable<RecordBatch>) {
      const values = recordBatch.getChild(column)
      if (column === '_distance') checkedVectors(table, recordBatch)
      const rows = decodeCheckedRows<RowOf<T>>(table, recordBatch)
      for (const [index, row] of rows.entries()) found.push({ row, score: toScore(values?.get(index)) })
    }
    return found
  })
}

function best<R extends Row>(hits: Hit<R>[]): readonly Hit<R>[] {
  return hits.sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
}
