/**
 * Hybrid search of one table: by words and by meaning. What full text gives is a share of its best, joined by the share of the
 * question's content words that a row holds, which makes scores of different tables comparable; the cosine is added. Words weigh
 * more than meaning, since with equal weights fusion is known to fall behind words alone.
 */
import { terms } from '@loomlog/language/terms'
import type { TableName } from '@loomlog/views/catalogue'
import { type Condition, sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'
import type { Hit } from '@loomlog/views/search'
import { type Kind, memoryOf, type Scored } from '../memory.ts'
import { conditionOn, type Within } from '../request/scope.ts'

export interface TableSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  readonly vector: Float32Array
  readonly within: Within
  /** Candidates, in each of the two searches. */
  readonly limit: number
}

/** What speaks for something that is found by itself: its value, and what that counts. Added up they are its score. */
export interface Similarity {
  readonly feature: string
  readonly value: number
  readonly weight: number
}

/** Found by itself, not as what was said. */
export interface Similar extends Scored {
  readonly by: readonly Similarity[]
}

export interface ScoredRow {
  readonly row: FoundRow
  readonly score: number
  readonly by: readonly Similarity[]
}

const weights = { bestShare: 0.5, wordsHeld: 0.7, meaning: 0.6 }
/** A question is seldom the answer to another. */
const questionFactor = 0.7

export async function searchTable(
  kind: Kind,
  table: TableName,
  search: TableSearch,
  views: ViewReader,
): Promise<Similar[]> {
  const rows = await searchRows(table, search, views)
  return rows.map(({ row, score, by }) => ({ ...memoryOf(kind, row), score, by }))
}

/** Best first. @param only of the rows that are asked within */
export async function searchRows(
  table: TableName,
  search: TableSearch,
  views: ViewReader,
  only?: Condition,
): Promise<ScoredRow[]> {
  const view = await views.view(table, search.space)
  if (view === null) return []
  const within = conditionOn(table, search.within)
  const where = only === undefined ? within : sql`${within} AND ${only}`
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
      const factor = row.text.trimEnd().endsWith('?') ? questionFactor : 1
      const by = [
        { feature: 'words', value: shares.get(row.id) ?? 0, weight: factor * weights.bestShare },
        { feature: 'words held', value: heldShare(wanted, row.text), weight: factor * weights.wordsHeld },
        { feature: 'meaning', value: cosines.get(row.id) ?? 0, weight: factor * weights.meaning },
      ]
      return { row, by, score: sumOf(by) }
    })
    .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
}

export function sumOf(by: readonly Similarity[]): number {
  return by.reduce((sum, { value, weight }) => sum + value * weight, 0)
}

/** The share of the question's content words that the text holds. */
function heldShare(wanted: ReadonlySet<string>, text: string): number {
  if (wanted.size === 0) return 0
  const held = new Set(terms(text))
  return [...wanted].filter((term) => held.has(term)).length / wanted.size
}
