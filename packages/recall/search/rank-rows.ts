/**
 * Ranks the rows of one table for a question, where a kind of memory is searched by itself. The score adds the
 * full-text share, the share of the question's content words in the row, and the cosine. Words weigh more than meaning:
 * fused with equal weights they are known to rank worse than words alone.
 */
import { terms } from '@loomlog/language/terms'
import type { ViewReader } from '@loomlog/views/reader'
import type { Row } from '@loomlog/views/row'
import type { RowOf, Table } from '@loomlog/views/table'
import { type Contribution, sumOf } from '../contribution.ts'
import { type Kind, memoryOf, type ScoredMemory, tableOf } from '../memory.ts'
import { searchTable, type TableHits, type TableSearch } from './search-table.ts'

export interface RankedRow<R extends Row = Row> {
  readonly row: R
  readonly score: number
  readonly contributions: readonly Contribution[]
}

/** A memory whose score is the sum of its contributions. */
export interface RankedMemory extends ScoredMemory {
  readonly contributions: readonly Contribution[]
}

interface RowToScore {
  readonly row: Row
  readonly hits: TableHits
  /** Content words of the question. */
  readonly questionWords: ReadonlySet<string>
}

const features = [
  {
    feature: 'words',
    part: 'words',
    weight: 0.5,
    value: ({ row, hits }: RowToScore) => hits.wordShares.get(row.id) ?? 0,
  },
  {
    feature: 'question words',
    part: 'words',
    weight: 0.7,
    value: ({ row, questionWords }: RowToScore) => shareIn(row.text, questionWords),
  },
  {
    feature: 'meaning',
    part: 'meaning',
    weight: 0.6,
    value: ({ row, hits }: RowToScore) => hits.cosines[0]?.get(row.id) ?? 0,
  },
] as const

/** A question is seldom the answer to another question. */
const questionFactor = 0.7

/** Best first. */
export async function rankRows<T extends Table>(
  table: T,
  search: TableSearch<RowOf<T>>,
  views: ViewReader,
): Promise<readonly RankedRow<RowOf<T>>[]> {
  const hits = await searchTable(table, search, views)
  const questionWords = new Set(terms(search.query))
  return [...hits.rows.values()]
    .map((row) => {
      const factor = row.text.trimEnd().endsWith('?') ? questionFactor : 1
      const contributions = features.map(({ feature, part, weight, value }) => {
        return { feature, part, value: value({ row, hits, questionWords }), weight: factor * weight }
      })
      return { row, contributions, score: sumOf(contributions) }
    })
    .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
}

/** Best first, as memories of the kind. */
export async function rankMemories(
  kind: Kind,
  search: TableSearch,
  views: ViewReader,
): Promise<readonly RankedMemory[]> {
  const table = tableOf(kind, views.tables)
  const rows = await rankRows(table, search, views)
  return rows.map(({ row, score, contributions }) => ({ ...memoryOf(kind, row, table), score, contributions }))
}

function shareIn(text: string, words: ReadonlySet<string>): number {
  if (words.size === 0) return 0
  const held = new Set(terms(text))
  return [...words].filter((word) => held.has(word)).length / words.size
}
