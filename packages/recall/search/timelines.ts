/**
 * The timelines of the events that were found (Membox, traces): the other events of their traces come too, a little under the event that led
 * to them and in the order of telling, so that a timeline comes whole. What always holds: whoever is in a timeline says which, and its place
 * in it; nothing comes that is outside what is asked within; and the links and events that are read are bounded.
 */
import { and, type Condition, oneOf } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { RowOf } from '@loomlog/views/table'
import { events } from '@loomlog/views/tables/events'
import { links as linkTable, ofEvents, ofTraces } from '@loomlog/views/tables/links'
import { memoryOf } from '../memory.ts'
import { conditionOn, type Within } from '../request/scope.ts'
import type { RankedMemory } from './rank-rows.ts'

/** Of so many of the best events the timelines are looked up; so many timelines, the best first, come with their other events. */
const maxLookedUp = 40
const maxTimelines = 5
/** Events that come of one timeline: those told nearest to the one that was found. */
const maxEventsEach = 20
const maxLinks = 2_000
/** What an event counts that was not found itself, as a share of the one that was; and how much less each that is told later. */
const underItsHit = 0.98
const eachLess = 0.001

interface Asked {
  /** `tenant/space` */
  readonly space: string
  readonly within: Within
}

interface Timeline {
  readonly id: string
  readonly title: string
  /** Ids of its events, in the order of telling. */
  readonly events: readonly string[]
}

/** @param hits events, best first */
export async function withTimelines(
  hits: readonly RankedMemory[],
  { space, within }: Asked,
  views: ViewReader,
): Promise<readonly RankedMemory[]> {
  const timelines = await timelinesOf(hits.slice(0, maxLookedUp), { space, within }, views)
  const scores = scoresBeside(hits, timelines)
  const found = new Set(hits.map(({ id }) => id))
  const others = [...scores.keys()].filter((id) => !found.has(id))
  const where = and(conditionOn(within), oneOf('id', others))
  const rows = await views.scan(events, { space, where, limit: others.length })
  return [...hits, ...rows.map((row) => ({ ...memoryOf('event', row), score: 0, contributions: [] }))].map((found) => {
    const beside = scores.get(found.id) ?? 0
    const contributions = [{ feature: 'event of the same timeline', part: 'events', value: beside, weight: 1 } as const]
    const event: RankedMemory = beside > found.score ? { ...found, contributions, score: beside } : found
    const traces = timelines.filter(({ events }) => events.includes(event.id)).map((of) => placeIn(of, event.id))
    const [first] = traces
    if (first === undefined) return event
    return { ...event, traces, text: `[${first.title}, ${first.position} of ${first.events}] ${event.text}` }
  })
}

function placeIn({ id, title, events }: Timeline, event: string) {
  return { id, title, position: events.indexOf(event) + 1, events: events.length }
}

/** In the order of the events that led to them; what stands alone is no timeline. */
async function timelinesOf(
  hits: readonly RankedMemory[],
  { space, within }: Asked,
  views: ViewReader,
): Promise<readonly Timeline[]> {
  // A link has no speaker, conversation or time of its own.
  const known = conditionOn({ filter: {}, asOf: within.asOf })
  const linking = (where: Condition<RowOf<typeof linkTable>>) =>
    views.scan(linkTable, { space, where: and(known, where), limit: maxLinks })
  const own = hits.length === 0 ? [] : await linking(ofEvents(hits.map(({ id }) => id)))
  const places = new Map(hits.map(({ id }, place) => [id, place]))
  const led = own.toSorted((a, b) => (places.get(a.event) ?? 0) - (places.get(b.event) ?? 0))
  const traces = [...new Set(led.map(({ trace }) => trace))]
  const links = Map.groupBy(traces.length === 0 ? [] : await linking(ofTraces(traces)), ({ trace }) => trace)
  return traces
    .map((id) => {
      const of = links.get(id) ?? []
      return { id, title: of.at(-1)?.text ?? '', events: [...new Set(of.map(({ event }) => event))] }
    })
    .filter(({ events }) => events.length > 1)
}

/** What each event of the best timelines gets from the one that was found, and stands nearest to in the ranking. */
function scoresBeside(hits: readonly RankedMemory[], timelines: readonly Timeline[]): ReadonlyMap<string, number> {
  const scores = new Map<string, number>()
  for (const { events } of timelines.slice(0, maxTimelines)) {
    const hit = hits.find(({ id }) => events.includes(id))
    if (hit === undefined) continue
    const from = Math.max(0, events.indexOf(hit.id) - Math.floor(maxEventsEach / 2))
    for (const [place, id] of events.slice(from, from + maxEventsEach).entries()) {
      const score = hit.score * (underItsHit - eachLess * place)
      scores.set(id, Math.max(score, scores.get(id) ?? 0))
    }
  }
  return scores
}
