/**
 * Hybrid search of one table: by words and by meaning, each score as a share of the best of its kind, added with weights. Words
 * weigh more, since with equal weights fusion is known to fall behind words alone.
 */
import type { TableName } from '@loomlog/views/catalogue'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'
import type { Hit } from '@loomlog/views/search'
import { type Kind, memoryOf } from './memory.ts'
import type { Recalled } from './recall.ts'

export interface TableSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  readonly vector: Float32Array
  /** Candidates, in each of the two searches. */
  readonly limit: number
}

export interface ScoredRow {
  readonly row: FoundRow
  readonly score: number
}

const weights = { words: 1, meaning: 0.6 }

export async function searchTable(
  kind: Kind,
  table: TableName,
  search: TableSearch,
  views: ViewReader,
): Promise<Recalled[]> {
  const rows = await searchRows(table, search, views)
  return rows.map(({ row, score }) => ({ ...memoryOf(kind, row), score }))
}

/** Rows that still hold, best first. */
export async function searchRows(table: TableName, search: TableSearch, views: ViewReader): Promise<ScoredRow[]> {
  const view = await views.view(table, search.space)
  if (view === null) return []
  const [byWords, byMeaning] = await Promise.all([
    view.shard.fullText(table, search),
    view.shard.nearest(table, search),
  ])
  return fuse(byWords, byMeaning).filter(({ row }) => row.knownTo === null)
}

function fuse(byWords: readonly Hit[], byMeaning: readonly Hit[]): ScoredRow[] {
  const best = byWords[0]?.score ?? 1
  const fused = new Map<string, ScoredRow>()
  const add = ({ row }: Hit, share: number) => {
    fused.set(row.id, { row, score: (fused.get(row.id)?.score ?? 0) + share })
  }
  for (const hit of byWords) add(hit, (weights.words * hit.score) / best)
  for (const hit of byMeaning) add(hit, weights.meaning * Math.max(0, hit.score))
  return [...fused.values()].sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
}
