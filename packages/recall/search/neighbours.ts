/** What stands around the best of what was found, and what was only cited: read by its place or its id, not searched. */
import type { TableName } from '@loomlog/views/catalogue'
import { type Condition, sql } from '@loomlog/views/condition'
import type { FoundRow } from '@loomlog/views/row'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOn } from '../request/scope.ts'
import type { CandidateSearch } from './candidate-search.ts'

/** How far around an utterance, and how many rows at most. */
const neighbourMs = 10 * 60_000
const maxNeighbours = 1_000

export async function byIds(
  table: 'utterances' | 'facts',
  ids: readonly string[],
  search: CandidateSearch,
  options: RecallOptions,
): Promise<readonly FoundRow[]> {
  if (ids.length === 0) return []
  return scanned(table, sql`id IN ${ids}`, ids.length, search, options)
}

/** What was said around the best, each stretch of time of a conversation asked for once. */
export async function neighbours(
  best: readonly FoundRow[],
  search: CandidateSearch,
  options: RecallOptions,
): Promise<readonly FoundRow[]> {
  const stretches: Condition[] = []
  for (const [conversation, rows] of Map.groupBy(best, (row) => row.conversation)) {
    const times = rows.flatMap(({ at }) => (at === null ? [] : [at])).sort((a, b) => a - b)
    let from = times[0] ?? 0
    for (const [place, at] of times.entries()) {
      const next = times[place + 1]
      if (next !== undefined && next - at <= 2 * neighbourMs) continue
      stretches.push(sql`conversation = ${conversation} AND at >= ${from - neighbourMs} AND at <= ${at + neighbourMs}`)
      from = next ?? 0
    }
  }
  if (stretches.length === 0) return []
  const where = stretches.reduce((joined, stretch) => sql`${joined} OR ${stretch}`)
  return scanned('utterances', where, maxNeighbours, search, options)
}

async function scanned(
  table: TableName,
  where: Condition,
  limit: number,
  { space, within }: CandidateSearch,
  { views }: RecallOptions,
): Promise<readonly FoundRow[]> {
  const view = await views.view(table, space)
  if (view === null) return []
  return await view.shard.scan(table, { space, where: sql`${conditionOn(table, within)} AND ${where}`, limit })
}
