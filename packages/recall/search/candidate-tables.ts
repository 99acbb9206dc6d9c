/**
 * One table searched for the pool, by words and by meaning, and what its rows say of the utterances they were made of: of several that
 * cite one, the best speaks for it.
 */
import type { FoundRow } from '@loomlog/views/row'
import type { Hit } from '@loomlog/views/search'
import { payloadOf } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOn, type Within } from '../request/scope.ts'
import { contentWords } from './hybrid.ts'
import type { Tail } from './log-tail.ts'

export interface PoolSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** Of the question, and of the question as a statement, where it can be made one. */
  readonly vectors: readonly Float32Array[]
  readonly within: Within
  /** Does what happened speak for what was said? `content` (Membox) leaves it out. */
  readonly events: 'speak' | 'left out'
  /** Of the space, read once for all queries; without it, each reads its own. */
  readonly tail?: (() => Promise<Tail>) | undefined
}

const limits = { utterances: 300, facts: 120, events: 40 }

export type Scores = ReadonlyMap<string, number>

export interface Found {
  readonly rows: ReadonlyMap<string, FoundRow>
  /** Of the best full-text score. */
  readonly shares: Scores
  /** By vector of the search. */
  readonly cosines: readonly Scores[]
}

export async function searchTable(
  table: keyof typeof limits,
  { space, query, vectors, within, events }: PoolSearch,
  { views }: RecallOptions,
): Promise<Found> {
  const view = table === 'events' && events === 'left out' ? null : await views.view(table, space)
  if (view === null) return { rows: new Map(), shares: new Map(), cosines: vectors.map(() => new Map()) }
  const search = { space, where: conditionOn(table, within), limit: limits[table] }
  // What events are about is told by the question itself.
  const used = table === 'events' ? vectors.slice(0, 1) : vectors
  const [byWords, ...byMeaning] = await Promise.all([
    view.shard.fullText(table, { ...search, query: contentWords(query) }),
    ...used.map((vector) => view.shard.nearest(table, { ...search, vector })),
  ])
  const best = byWords[0]?.score ?? 1
  return {
    rows: new Map([...byWords, ...byMeaning.flat()].map(({ row }) => [row.id, row])),
    shares: scoresBy(byWords, (score) => score / best),
    cosines: byMeaning.map((hits) => scoresBy(hits, (score) => Math.max(0, score))),
  }
}

function scoresBy(hits: readonly Hit[], scaled: (score: number) => number): Scores {
  return new Map(hits.map(({ row, score }) => [row.id, scaled(score)]))
}

export function sourcesOf(row: FoundRow): readonly string[] {
  const { sources, utterances } = payloadOf(row)
  return sources ?? utterances?.map(({ id }) => id) ?? []
}

export function bestBySource(rows: ReadonlyMap<string, FoundRow>, scores: Scores = new Map()): Scores {
  const best = new Map<string, number>()
  for (const [id, score] of scores) {
    const row = rows.get(id)
    for (const source of row ? sourcesOf(row) : []) best.set(source, Math.max(score, best.get(source) ?? 0))
  }
  return best
}
