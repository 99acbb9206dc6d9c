/**
 * Hybrid search of one table: by words and by meaning. What full text gives is a share of its best, joined by the share of the
 * question's content words that a row holds, which makes scores of different tables comparable; the cosine is added. Words weigh
 * more than meaning, since with equal weights fusion is known to fall behind words alone.
 */
import { terms } from '@loomlog/language/terms'
import type { TableName } from '@loomlog/views/catalogue'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'
import type { Hit } from '@loomlog/views/search'
import { type Kind, memoryOf, type Scored } from './memory.ts'
import { conditionOn, type Within } from './within.ts'

export interface TableSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  readonly vector: Float32Array
  readonly within: Within
  /** Candidates, in each of the two searches. */
  readonly limit: number
}

export interface ScoredRow {
  readonly row: FoundRow
  readonly score: number
}

const weights = { bestShare: 0.5, wordsHeld: 0.7, meaning: 0.6 }
/** A question is seldom the answer to another. */
const questionFactor = 0.7

export async function searchTable(
  kind: Kind,
  table: TableName,
  search: TableSearch,
  views: ViewReader,
): Promise<Scored[]> {
  const rows = await searchRows(table, search, views)
  return rows.map(({ row, score }) => ({ ...memoryOf(kind, row), score }))
}

/** Best first. */
export async function searchRows(table: TableName, search: TableSearch, views: ViewReader): Promise<ScoredRow[]> {
  const view = await views.view(table, search.space)
  if (view === null) return []
  const where = conditionOn(table, search.within)
  const [byWords, byMeaning] = await Promise.all([
    view.shard.fullText(table, { ...search, where, query: contentWords(search.query) }),
    view.shard.nearest(table, { ...search, where }),
  ])
  return fuse(new Set(terms(search.query)), byWords, byMeaning)
}

/** Without the words that every sentence has; all of them where none is left, as in a language that has no list of them here. */
export function contentWords(query: string): string {
  const words = query.split(/\s+/).filter((word) => terms(word).length > 0)
  return words.length > 0 ? words.join(' ') : query
}

function fuse(wanted: ReadonlySet<string>, byWords: readonly Hit[], byMeaning: readonly Hit[]): ScoredRow[] {
  const best = byWords[0]?.score ?? 1
  const shares = new Map(byWords.map(({ row, score }) => [row.id, score / best]))
  const cosines = new Map(byMeaning.map(({ row, score }) => [row.id, Math.max(0, score)]))
  const rows = new Map([...byWords, ...byMeaning].map(({ row }) => [row.id, row]))
  return [...rows.values()]
    .map((row) => {
      const words = weights.bestShare * (shares.get(row.id) ?? 0) + weights.wordsHeld * heldShare(wanted, row.text)
      const score = words + weights.meaning * (cosines.get(row.id) ?? 0)
      return { row, score: row.text.trimEnd().endsWith('?') ? score * questionFactor : score }
    })
    .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
}

/** The share of the question's content words that the text holds. */
export function heldShare(wanted: ReadonlySet<string>, text: string): number {
  if (wanted.size === 0) return 0
  const held = new Set(terms(text))
  return [...wanted].filter((term) => held.has(term)).length / wanted.size
}
