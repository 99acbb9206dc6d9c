/**
 * Searches documents (Infini Memory). A document is found by its entries, and its title and summary add to the score.
 * Its text shows the entries that were found, under their headings, so that every line has its sources. A topic
 * document is left out if the profiles that were found have all its found entries.
 */
import type { ViewReader } from '@loomlog/views/reader'
import { documents as documentTable } from '@loomlog/views/tables/documents'
import { type EntryRow, entries as entryTable, ofProfiles } from '@loomlog/views/tables/entries'
import { sumOf } from '../contribution.ts'
import { memoryOf } from '../memory.ts'
import { type RankedMemory, type RankedRow, rankRows } from './rank-rows.ts'
import type { TableSearch } from './search-table.ts'

/** Entries shown of one document. */
const maxEntries = 8
/** The share of the score of title and summary that is added to the score of the best entry. */
const summaryWeight = 0.25

/** @param kind `profile`: only the documents about one person or thing (TriMem) */
export async function searchDocuments(
  kind: 'document' | 'profile',
  search: TableSearch,
  views: ViewReader,
): Promise<readonly RankedMemory[]> {
  const narrowed = kind === 'profile' ? { ...search, where: ofProfiles } : search
  const [entries, summaries] = await Promise.all([
    rankRows(entryTable, narrowed, views),
    rankRows(documentTable, narrowed, views),
  ])
  const summaryScores = new Map(summaries.map(({ row, score }) => [row.id, score]))
  const byDocument = Map.groupBy(entries, ({ row }) => row.document)
  const inProfiles = new Set(entries.filter(({ row }) => row.kind === 'profile').map(({ row }) => row.statement))
  const saysMore = (hits: readonly RankedRow<EntryRow>[]) =>
    hits.some(({ row }) => row.kind === 'profile' || !inProfiles.has(row.statement))
  return [...byDocument]
    .filter(([, hits]) => saysMore(hits))
    .map(([document, hits]) => {
      const best = hits[0] as RankedRow<EntryRow>
      const value = summaryScores.get(document) ?? 0
      const summary = { feature: 'words of the summary', part: 'words', value, weight: summaryWeight } as const
      const contributions = [...best.contributions, summary]
      const shown = hits.slice(0, maxEntries)
      const sources = [...new Set(shown.flatMap(({ row }) => row.sources))]
      const speaker = [...new Set(shown.map(({ row }) => row.speaker))].join(', ')
      const memory = { ...memoryOf(kind, best.row), id: document, text: textOf(shown), speaker, sources }
      return { ...memory, contributions, score: sumOf(contributions) }
    })
}

function textOf(entries: readonly RankedRow<EntryRow>[]): string {
  const rows = entries.map(({ row }) => row)
  const lines = [...Map.groupBy(rows, (row) => row.heading)].map(
    ([heading, under]) => `${heading}: ${under.map((row) => row.statement).join(' ')}`,
  )
  return `[${rows[0]?.title ?? ''}]\n${lines.join('\n')}`
}
