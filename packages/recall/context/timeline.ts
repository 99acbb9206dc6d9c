/**
 * The timeline of the matter that a question is about: the events that a trace links to the best hit, in the order of
 * time.
 */
import { and, oneOf } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { areEvents, facts as factTable } from '@loomlog/views/tables/facts'
import { byTime, memoryOf, type ScoredMemory } from '../memory.ts'
import { conditionOf, type Scope } from '../request/filter.ts'
import type { CandidateSearch } from '../search/candidate-search.ts'
import { rankRows } from '../search/rank-rows.ts'
import { supersededFacts } from '../search/superseded-facts.ts'
import { timelinesOf } from '../search/timelines.ts'

/** Best events whose timelines are compared. */
const maxHits = 20
const maxEvents = 40

interface Matter {
  /** `tenant/space` */
  readonly space: string
  readonly scope: Scope
  readonly question: Pick<CandidateSearch, 'query' | 'vectors'>
}

export interface Timeline {
  readonly title: string
  /** In the order of time. */
  readonly events: readonly (ScoredMemory & { readonly isEnded: boolean })[]
}

/** Null: no timeline has one of the best events. */
export async function timelineOf({ space, scope, question }: Matter, views: ViewReader): Promise<Timeline | null> {
  const search = { ...question, vectors: question.vectors.slice(0, 1), space, scope, limit: maxHits, where: areEvents }
  const hits = (await rankRows(factTable, search, views)).slice(0, maxHits)
  const timelines = await timelinesOf(
    hits.map(({ row }) => row),
    { space, scope },
    views,
  )
  const scores = new Map(hits.map(({ row, score }) => [row.id, score]))
  const scoreOf = (events: readonly string[]) => events.reduce((sum, id) => sum + (scores.get(id) ?? 0), 0)
  const [best] = timelines.toSorted((a, b) => scoreOf(b.events) - scoreOf(a.events))
  if (best === undefined) return null
  const where = and(conditionOf(scope), oneOf('id', best.events))
  const rows = await views.scan(factTable, { space, where, limit: maxEvents })
  const ended = await supersededFacts(best.events, { space, asOf: scope.asOf }, views)
  const events = rows.map((row) => {
    return { ...memoryOf('event', row), score: scores.get(row.id) ?? 0, isEnded: ended.has(row.id) }
  })
  return {
    title: best.title,
    events: events.toSorted((a, b) => (a.valid.from ?? 0) - (b.valid.from ?? 0) || byTime(a, b)),
  }
}
