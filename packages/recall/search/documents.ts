/**
 * Documents as evidence (Infini Memory): a document is found by its entries, and by its title and summary on top, and shown with the
 * entries that were found, under their headings, so that every line of it has its sources.
 */
import { sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { memoryOf, payloadOf } from '../memory.ts'
import { type ScoredRow, type Similar, searchRows, sumOf, type TableSearch } from './hybrid.ts'

/** Entries shown of one document. */
const maxEntries = 8
/** What a match of title and summary adds to that of the best entry. */
const summaryWeight = 0.25

/** Inside texts quotes are escaped, so this is found nowhere else in a payload. */
const ofProfile = sql`strpos(payload, ${'"kind":"profile"'}) > 0`

/** @param kind `profile`: only the documents about one person or thing (TriMem) */
export async function searchDocuments(
  kind: 'document' | 'profile',
  search: TableSearch,
  views: ViewReader,
): Promise<readonly Similar[]> {
  const only = kind === 'profile' ? ofProfile : undefined
  const [entries, described] = await Promise.all([
    searchRows('entries', search, views, only),
    searchRows('documents', search, views, only),
  ])
  const summaryScores = new Map(described.map(({ row, score }) => [row.id, score]))
  const byDocument = Map.groupBy(entries, ({ row }) => payloadOf(row).document ?? '')
  return [...byDocument].map(([document, found]) => {
    const best = found[0] as ScoredRow
    const summary = { feature: 'words of the summary', value: summaryScores.get(document) ?? 0, weight: summaryWeight }
    const by = [...best.by, summary]
    const shown = found.slice(0, maxEntries)
    const sources = [...new Set(shown.flatMap(({ row }) => payloadOf(row).sources ?? []))]
    const speakers = [...new Set(shown.map(({ row }) => row.speaker))].join(', ')
    const told = { id: document, text: textOf(shown), speaker: speakers, sources }
    return { ...memoryOf(kind, best.row), ...told, by, score: sumOf(by) }
  })
}

function textOf(entries: readonly ScoredRow[]): string {
  const payloads = entries.map(({ row }) => payloadOf(row))
  const lines = [...Map.groupBy(payloads, (payload) => payload.heading ?? '')].map(
    ([heading, under]) => `${heading}: ${under.map((payload) => payload.text ?? '').join(' ')}`,
  )
  return `[${payloads[0]?.title ?? ''}]\n${lines.join('\n')}`
}
