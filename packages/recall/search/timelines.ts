/**
 * Timelines (Membox, traces): the other events of a hit's trace are returned too, with scores just below the hit, in
 * the order of their linking, so that a timeline is complete. Invariants: every event of a timeline has its title and
 * position; all events are in scope; the links and events that are read are bounded.
 */
import { and, type Condition, oneOf } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { RowOf } from '@loomlog/views/table'
import { facts } from '@loomlog/views/tables/facts'
import { links as linkTable, ofEvents, ofTraces } from '@loomlog/views/tables/links'
import { memoryOf } from '../memory.ts'
import { conditionOf, type Scope } from '../request/filter.ts'
import type { RankedMemory } from './rank-rows.ts'

/** Best events whose timelines are read, and best timelines whose other events are returned. */
const maxHits = 40
const maxTimelines = 5
/** Events of one timeline: those nearest to the hit. */
const maxEventsEach = 20
const maxLinks = 2_000
/** The score of another event of the timeline, as a share of the hit's, and its decrease for each later event. */
const shareOfHit = 0.98
const decrease = 0.001

interface EventScope {
  /** `tenant/space` */
  readonly space: string
  readonly scope: Scope
}

interface Timeline {
  readonly id: string
  readonly title: string
  /** Ids of its events, in the order of their linking. */
  readonly events: readonly string[]
}

/** @param hits events, best first */
export async function withTimelines(
  hits: readonly RankedMemory[],
  { space, scope }: EventScope,
  views: ViewReader,
): Promise<readonly RankedMemory[]> {
  const timelines = await timelinesOf(hits.slice(0, maxHits), { space, scope }, views)
  const scores = scoresFromHits(hits, timelines)
  const found = new Set(hits.map(({ id }) => id))
  const others = [...scores.keys()].filter((id) => !found.has(id))
  const where = and(conditionOf(scope), oneOf('id', others))
  const rows = await views.scan(facts, { space, where, limit: others.length })
  return [...hits, ...rows.map((row) => ({ ...memoryOf('event', row), score: 0, contributions: [] }))].map((found) => {
    const fromHit = scores.get(found.id) ?? 0
    const contributions = [
      { feature: 'event of the same timeline', part: 'events', value: fromHit, weight: 1 } as const,
    ]
    const event: RankedMemory = fromHit > found.score ? { ...found, contributions, score: fromHit } : found
    const traces = timelines
      .filter(({ events }) => events.includes(event.id))
      .map((timeline) => positionIn(timeline, event.id))
    const [first] = traces
    if (first === undefined) return event
    return { ...event, traces, text: `[${first.title}, ${first.position} of ${first.events}] ${event.text}` }
  })
}

function positionIn({ id, title, events }: Timeline, event: string) {
  return { id, title, position: events.indexOf(event) + 1, events: events.length }
}

/** Timelines in the order of their best hits. A single event is no timeline. */
export async function timelinesOf(
  hits: readonly Pick<RankedMemory, 'id'>[],
  { space, scope }: EventScope,
  views: ViewReader,
): Promise<readonly Timeline[]> {
  // A link has no speaker, conversation or time of its own.
  const known = conditionOf({ filter: {}, asOf: scope.asOf })
  const linking = (where: Condition<RowOf<typeof linkTable>>) =>
    views.scan(linkTable, { space, where: and(known, where), limit: maxLinks })
  const own = hits.length === 0 ? [] : await linking(ofEvents(hits.map(({ id }) => id)))
  const ranks = new Map(hits.map(({ id }, rank) => [id, rank]))
  const byRank = own.toSorted((a, b) => (ranks.get(a.event) ?? 0) - (ranks.get(b.event) ?? 0))
  const traces = [...new Set(byRank.map(({ trace }) => trace))]
  const links = Map.groupBy(traces.length === 0 ? [] : await linking(ofTraces(traces)), ({ trace }) => trace)
  return traces
    .map((id) => {
      const of = links.get(id) ?? []
      return { id, title: of.at(-1)?.text ?? '', events: [...new Set(of.map(({ event }) => event))] }
    })
    .filter(({ events }) => events.length > 1)
}

/** For each event of the best timelines, the score that it gets from the timeline's best hit. */
function scoresFromHits(hits: readonly RankedMemory[], timelines: readonly Timeline[]): ReadonlyMap<string, number> {
  const scores = new Map<string, number>()
  for (const { events } of timelines.slice(0, maxTimelines)) {
    const hit = hits.find(({ id }) => events.includes(id))
    if (hit === undefined) continue
    const from = Math.max(0, events.indexOf(hit.id) - Math.floor(maxEventsEach / 2))
    for (const [index, id] of events.slice(from, from + maxEventsEach).entries()) {
      const score = hit.score * (shareOfHit - decrease * index)
      scores.set(id, Math.max(score, scores.get(id) ?? 0))
    }
  }
  return scores
}
