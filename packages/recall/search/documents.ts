/**
 * Searches documents (Infini Memory). A document is found by its entries, and its title and summary add to the score. Its text shows the
 * entries that were found, under their headings, so that every line has its sources.
 */
import { sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { sumOf } from '../contribution.ts'
import { memoryOf, payloadOf } from '../memory.ts'
import { type RankedMemory, type RankedRow, rankRows } from './rank-rows.ts'
import type { TableSearch } from './search-table.ts'

/** Entries shown of one document. */
const maxEntries = 8
/** The share of the score of title and summary that is added to the score of the best entry. */
const summaryWeight = 0.25

/** Quotes are escaped inside texts, so the payload of another kind never has this. */
const ofProfile = sql`strpos(payload, ${'"kind":"profile"'}) > 0`

/** @param kind `profile`: only the documents about one person or thing (TriMem) */
export async function searchDocuments(
  kind: 'document' | 'profile',
  search: TableSearch,
  views: ViewReader,
): Promise<readonly RankedMemory[]> {
  const narrowed = kind === 'profile' ? { ...search, where: ofProfile } : search
  const [entries, summaries] = await Promise.all([
    rankRows('entries', narrowed, views),
    rankRows('documents', narrowed, views),
  ])
  const summaryScores = new Map(summaries.map(({ row, score }) => [row.id, score]))
  const byDocument = Map.groupBy(entries, ({ row }) => payloadOf(row).document ?? '')
  return [...byDocument].map(([document, hits]) => {
    const best = hits[0] as RankedRow
    const value = summaryScores.get(document) ?? 0
    const summary = { feature: 'words of the summary', part: 'words', value, weight: summaryWeight } as const
    const contributions = [...best.contributions, summary]
    const shown = hits.slice(0, maxEntries)
    const sources = [...new Set(shown.flatMap(({ row }) => payloadOf(row).sources ?? []))]
    const speaker = [...new Set(shown.map(({ row }) => row.speaker))].join(', ')
    const memory = { ...memoryOf(kind, best.row), id: document, text: textOf(shown), speaker, sources }
    return { ...memory, contributions, score: sumOf(contributions) }
  })
}

function textOf(entries: readonly RankedRow[]): string {
  const payloads = entries.map(({ row }) => payloadOf(row))
  const lines = [...Map.groupBy(payloads, (payload) => payload.heading ?? '')].map(
    ([heading, under]) => `${heading}: ${under.map((payload) => payload.text ?? '').join(' ')}`,
  )
  return `[${payloads[0]?.title ?? ''}]\n${lines.join('\n')}`
}
