/**
 * Puts a box's events into strands, one after the other, and publishes links where a strand spans boxes. Events of one box do
 * not by themselves make a trace: they wait together until another box joins.
 */
import { type Effects, get, put } from '@loomlog/runtime/step'
import type { Draft, EventLinked } from '@loomlog/schemas/events'
import { type Candidate, countWords, forget, keep, raritiesOf } from './buckets.ts'
import { boxesTold, maxWaitingPerStrand, type Strand, strand as strands } from './state.ts'
import { type Arrival, emptyStrand, joined, nearness, title, traceId, wordsOf } from './strands.ts'

/** An event with what it was found to belong to, the strongest first. */
export type Found = {
  readonly arrival: Arrival
  readonly links: readonly { readonly candidate: Candidate; readonly score: number }[]
  readonly completions: readonly string[]
  readonly method: string
}

/** A strand that an event belongs to, as it stands when the event gets there. */
type Place = { readonly id: string; readonly strand: Strand; readonly score: number }

/** What has come of the events before, in the same box. */
type SoFar = {
  readonly opened: string[]
  /** Strands that went into another one. */
  readonly moved: Map<string, string>
  /** Every word of the box is counted: these hold for all of its events. */
  readonly rarities: Map<string, number>
}

export function* weave(
  box: string,
  found: readonly Found[],
  { sameBoxScore }: { readonly sameBoxScore: number },
): Effects<readonly Draft<EventLinked>[]> {
  if (found.length === 0) return []
  yield* put(boxesTold, '', ((yield* get(boxesTold, '')) ?? 0) + 1)
  for (const { arrival } of found) yield* countWords(box, arrival.told.words)
  const drafts: Draft<EventLinked>[] = []
  const soFar: SoFar = { opened: [], moved: new Map(), rarities: new Map() }
  for (const each of found) {
    const places = yield* placesOf(each, soFar.moved)
    const home = homeOf(places)
    if (home === null) yield* wait(each.arrival, soFar, sameBoxScore)
    else drafts.push(...(yield* settle(each, home, places, soFar)))
  }
  return drafts
}

function* placesOf(found: Found, moved: ReadonlyMap<string, string>): Effects<readonly Place[]> {
  const places = new Map<string, Place>()
  for (const { candidate, score } of found.links) {
    const id = moved.get(candidate.id) ?? candidate.id
    // An event before this one may have pushed it out of its last bucket.
    const strand = (yield* get(strands, id)) ?? { ...candidate.strand, buckets: 0 }
    if (!places.has(id)) places.set(id, { id, strand, score })
  }
  return [...places.values()]
}

/** Links this near to the strongest one are held to be as good. */
const asGood = 0.8

/** Of the best links, to a trace if there is one, or else to what was told first: so that one matter becomes one trace. */
function homeOf(places: readonly Place[]): Place | null {
  const best = places.filter(({ score }) => score >= asGood * (places[0]?.score ?? 0))
  const inOrder = best.toSorted((a, b) => (a.strand.waiting[0]?.toldAt ?? 0) - (b.strand.waiting[0]?.toldAt ?? 0))
  return best.find(({ strand }) => strand.links > 0) ?? inOrder[0] ?? null
}

/**
 * The event joins its home, and other traces it belongs to. What waits for the same matter comes along, if it was told after the
 * last event there, so that a trace stays in the order of telling; if not, it waits on.
 */
function* settle(
  found: Found,
  home: Place,
  places: readonly Place[],
  { moved, rarities }: SoFar,
): Effects<readonly Draft<EventLinked>[]> {
  const last = home.strand.recent.at(-1)?.toldAt ?? 0
  const others = places.filter((place) => place.id !== home.id)
  const along = others.filter(({ strand }) => strand.links === 0 && strand.waiting.every((told) => told.toldAt >= last))
  for (const { id, strand } of along) {
    yield* forget(id, strand)
    moved.set(id, home.id)
  }
  const arrivals = along.flatMap(({ strand }) => arrivalsOf(strand))
  const drafts = [...(yield* join(found, home, { along: arrivals, rarities }))]
  for (const trace of others.filter(({ strand }) => strand.links > 0))
    drafts.push(...(yield* join(found, trace, { along: [], rarities })))
  return drafts
}

function arrivalsOf({ waiting, persons }: Strand): readonly Arrival[] {
  return waiting.map((told) => ({ told, persons: persons.map(({ person }) => person) }))
}

/** The event joins a strand of earlier boxes: from now on, if not before, it is a trace. */
function* join(
  found: Found,
  to: Place,
  { along, rarities }: { readonly along: readonly Arrival[]; readonly rarities: Map<string, number> },
): Effects<readonly Draft<EventLinked>[]> {
  const arriving = [...along.toSorted((a, b) => a.told.toldAt - b.told.toldAt), found.arrival]
  const grown = arriving.reduce(joined, to.strand)
  const unlinked = [...to.strand.waiting, ...arriving.map((arrival) => arrival.told)]
  const after: Strand = {
    ...grown,
    title: title(grown, yield* raritiesOf([grown.terms], rarities)),
    links: to.strand.links + unlinked.length,
    waiting: [],
    previous: found.arrival.told.event,
  }
  const words = arriving.map((arrival) => arrival.told.words)
  yield* keep(to.id, after, words, rarities)
  const previous = [to.strand.previous, ...unlinked.map((told) => told.event)]
  return unlinked.map((told, index) => ({
    type: 'EventLinked',
    trace: to.id,
    event: told.event,
    box: told.box,
    previous: previous[index] ?? null,
    title: after.title,
    score: to.score,
    position: to.strand.links + index,
    origin: {
      causes: [told.event, previous[index] ?? null].filter((cause) => cause !== null),
      completions: found.completions,
      method: found.method,
    },
  }))
}

/** The event belongs to nothing yet: it waits for another box, beside one of its own box that is near, or alone. */
function* wait(arrival: Arrival, { opened, rarities }: SoFar, sameBoxScore: number): Effects<void> {
  const { told } = arrival
  for (const id of opened) {
    const strand = yield* get(strands, id)
    if (strand === null || strand.waiting.length >= maxWaitingPerStrand || !shareAPerson(strand, arrival)) continue
    if (nearness(told.words, strand, yield* raritiesOf(wordsOf(told.words, strand), rarities)) < sameBoxScore) continue
    return yield* begin(id, strand, arrival, rarities)
  }
  const id = traceId(told.event)
  opened.push(id)
  yield* begin(id, emptyStrand, arrival, rarities)
}

/** True too where nobody is named on either side. */
function shareAPerson(strand: Strand, { persons }: Arrival): boolean {
  if (strand.persons.length === 0 && persons.length === 0) return true
  return strand.persons.some(({ person }) => persons.includes(person))
}

function* begin(id: string, strand: Strand, arrival: Arrival, known: Map<string, number>): Effects<void> {
  const grown = joined(strand, arrival)
  const rarities = yield* raritiesOf([grown.terms], known)
  const waiting = [...strand.waiting, arrival.told]
  yield* keep(id, { ...grown, title: title(grown, rarities), waiting }, [arrival.told.words], known)
}
