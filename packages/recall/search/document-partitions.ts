/**
 * Searches the partitions of documents, their parts under one heading (Infini Memory's hybrid variant). Documents are
 * chosen by title and summary, and BM25 finds partitions in these and in all others. A partition is shown whole under
 * the id of its best entry, and every line has its sources.
 */
import { and } from '@loomlog/views/condition'
import type { Hit } from '@loomlog/views/port'
import type { ViewReader } from '@loomlog/views/reader'
import { documents as documentTable } from '@loomlog/views/tables/documents'
import { type EntryRow, entries as entryTable, ofDocuments } from '@loomlog/views/tables/entries'
import { type Contribution, sumOf } from '../contribution.ts'
import { memoryOf } from '../memory.ts'
import { conditionOf } from '../request/filter.ts'
import { type RankedMemory, rankRows } from './rank-rows.ts'
import { contentWords, type TableSearch } from './search-table.ts'

/** Documents chosen by their summaries. */
const maxDocuments = 8
const maxPartitions = 50
/** Entries shown of one partition, and read of all partitions. */
const maxEntries = 20
const maxRead = 2_000
/** Weight of the document's summary beside the partition's own words, each as a share of the best. */
const summaryWeight = 0.5

export async function searchPartitions(search: TableSearch, views: ViewReader): Promise<readonly RankedMemory[]> {
  const described = await rankRows(documentTable, { ...search, limit: maxDocuments }, views)
  const chosen = described.slice(0, maxDocuments)
  const where = conditionOf(search.scope)
  const words = { space: search.space, query: contentWords(search.query), limit: search.limit }
  const [anywhere, inChosen] = await Promise.all([
    views.fullText(entryTable, { ...words, where }),
    chosen.length === 0
      ? []
      : views.fullText(entryTable, { ...words, where: and(where, ofDocuments(chosen.map(({ row }) => row.id))) }),
  ])
  const ranked = rank([...anywhere, ...inChosen], new Map(chosen.map(({ row, score }) => [row.id, score])))
  const found = ranked.slice(0, maxPartitions)
  if (found.length === 0) return []
  const documents = [...new Set(found.map(({ best }) => best.document))]
  const read = { space: search.space, where: and(where, ofDocuments(documents)), limit: maxRead }
  const entries = Map.groupBy(await views.scan(entryTable, read), partitionOf)
  return found.map((each) => memoryOfPartition(each, entries.get(partitionOf(each.best)) ?? [each.best]))
}

interface RankedPartition {
  readonly best: EntryRow
  readonly score: number
  readonly contributions: readonly Contribution[]
}

function rank(hits: readonly Hit<EntryRow>[], summaries: ReadonlyMap<string, number>): readonly RankedPartition[] {
  const mostWords = Math.max(1e-9, ...hits.map(({ score }) => score))
  const mostSummary = Math.max(1e-9, ...summaries.values())
  const best = new Map<string, RankedPartition>()
  for (const { row, score } of hits) {
    const summary = summaries.get(row.document) ?? 0
    const contributions = [
      { feature: 'words', part: 'words', value: score / mostWords, weight: 1 },
      { feature: 'words of the summary', part: 'words', value: summary / mostSummary, weight: summaryWeight },
    ] as const
    const total = sumOf(contributions)
    const key = partitionOf(row)
    if (total > (best.get(key)?.score ?? 0)) best.set(key, { best: row, score: total, contributions })
  }
  return [...best.values()].sort((a, b) => b.score - a.score || (a.best.id < b.best.id ? -1 : 1))
}

function partitionOf({ document, heading }: EntryRow): string {
  return `${document} ${heading}`
}

/** The best entry is always among those that are shown. */
function memoryOfPartition(
  { best, score, contributions }: RankedPartition,
  partition: readonly EntryRow[],
): RankedMemory {
  const others = partition.filter(({ id }) => id !== best.id).slice(0, maxEntries - 1)
  const entries = [best, ...others].sort((a, b) => a.seq - b.seq || a.ordinal - b.ordinal || (a.id < b.id ? -1 : 1))
  const text = `[${best.title}]\n${best.heading}: ${entries.map((entry) => entry.statement).join(' ')}`
  const sources = [...new Set(entries.flatMap((entry) => entry.sources))]
  const speaker = [...new Set(entries.map((entry) => entry.speaker))].join(', ')
  return { ...memoryOf('document', best), text, speaker, sources, score, contributions }
}
