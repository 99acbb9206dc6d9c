/** Reads rows in scope by id, and the utterances around given rows, without a search. */
import { and, atLeast, atMost, type Condition, equals, oneOf, or } from '@loomlog/views/condition'
import type { Row } from '@loomlog/views/row'
import type { RowOf, Table } from '@loomlog/views/table'
import { utterances } from '@loomlog/views/tables/utterances'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf } from '../request/filter.ts'
import type { CandidateSearch } from './candidate-search.ts'

/** Utterances of a conversation within this time of each other are neighbours. */
const neighbourMs = 10 * 60_000
const maxNeighbours = 1_000

export async function byIds<T extends Table>(
  table: T,
  ids: readonly string[],
  search: CandidateSearch,
  options: RecallOptions,
): Promise<readonly RowOf<T>[]> {
  return scan(table, oneOf('id', ids), ids.length, search, options)
}

/** Reads each stretch of time of a conversation once, even if several of the best utterances are in it. */
export async function neighbours(best: readonly Row[], search: CandidateSearch, options: RecallOptions) {
  const stretches: Condition<Row>[] = []
  for (const [conversation, rows] of Map.groupBy(best, (row) => row.conversation)) {
    const times = rows.flatMap(({ at }) => (at === null ? [] : [at])).sort((a, b) => a - b)
    let from = times[0] ?? 0
    for (const [place, at] of times.entries()) {
      const next = times[place + 1]
      if (next !== undefined && next - at <= 2 * neighbourMs) continue
      const stretch = and(atLeast('at', from - neighbourMs), atMost('at', at + neighbourMs))
      stretches.push(and(equals('conversation', conversation), stretch))
      from = next ?? 0
    }
  }
  return stretches.length === 0 ? [] : scan(utterances, or(...stretches), maxNeighbours, search, options)
}

async function scan<T extends Table>(
  table: T,
  where: Condition<Row>,
  limit: number,
  { space, scope }: CandidateSearch,
  { views }: RecallOptions,
): Promise<readonly RowOf<T>[]> {
  return views.scan(table, { space, where: and(conditionOf(scope), where) as Condition<RowOf<T>>, limit })
}
