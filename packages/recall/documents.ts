/**
 * Documents as evidence (Infini Memory): a document is found by its entries, and by its title and summary on top, and shown with the
 * entries that were found, under their headings, so that every line of it has its sources.
 */
import type { ViewReader } from '@loomlog/views/reader'
import { type ScoredRow, searchRows, type TableSearch } from './hybrid.ts'
import { memoryOf, payloadOf, type Scored } from './memory.ts'

/** Entries shown of one document. */
const maxEntries = 8
/** What a match of title and summary adds to that of the best entry. */
const summaryWeight = 0.25

export async function searchDocuments(search: TableSearch, views: ViewReader): Promise<readonly Scored[]> {
  const [entries, described] = await Promise.all([
    searchRows('entries', search, views),
    searchRows('documents', search, views),
  ])
  const summaryScores = new Map(described.map(({ row, score }) => [row.id, score]))
  const byDocument = Map.groupBy(entries, ({ row }) => payloadOf(row).document ?? '')
  return [...byDocument].map(([document, found]) => {
    const best = found[0] as ScoredRow
    const score = best.score + summaryWeight * (summaryScores.get(document) ?? 0)
    const shown = found.slice(0, maxEntries)
    const sources = [...new Set(shown.flatMap(({ row }) => payloadOf(row).sources ?? []))]
    const speakers = [...new Set(shown.map(({ row }) => row.speaker))].join(', ')
    return { ...memoryOf('document', best.row), id: document, text: textOf(shown), speaker: speakers, sources, score }
  })
}

function textOf(entries: readonly ScoredRow[]): string {
  const payloads = entries.map(({ row }) => payloadOf(row))
  const lines = [...Map.groupBy(payloads, (payload) => payload.heading ?? '')].map(
    ([heading, under]) => `${heading}: ${under.map((payload) => payload.text ?? '').join(' ')}`,
  )
  return `[${payloads[0]?.title ?? ''}]\n${lines.join('\n')}`
}
