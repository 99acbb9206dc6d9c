/**
 * Puts the events of a batch into strands, in the order of their utterances, and returns the links of strands that span
 * boxes. Events of one box wait together until an event of another box joins them.
 */
import { type Effects, get, isAskedOfModel, put } from '@loomlog/runtime/step'
import type { Draft, EventLinked } from '@loomlog/schemas/events'
import { noteMatter } from './related-matters.ts'
import { eventShares, maxWaitingPerStrand, type Strand, strand as strands } from './state.ts'
import {
  type Arrival,
  comparedTerms,
  emptyStrand,
  isBoxWaiting,
  nearness,
  title,
  traceId,
  withEvent,
} from './strands.ts'
import { verifyLinks } from './tasks.ts'
import { type Candidate, countTerms, deleteStrand, raritiesOf, storeStrand } from './term-index.ts'

/** A strand that an event belongs to. */
export type JudgedLink = {
  readonly candidate: Candidate
  readonly score: number
  readonly completions: readonly string[]
  readonly method: string
}
/** An event with its links, the strongest first. */
export type JudgedEvent = { readonly arrival: Arrival; readonly links: readonly JudgedLink[] }

/** A strand that an event belongs to, in its current state. */
type Destination = Omit<JudgedLink, 'candidate'> & { readonly id: string; readonly strand: Strand }

/** The changes that earlier events of the batch made, for the events of one box. */
type WeaveProgress = {
  /** Strands that events of the box opened. */
  readonly opened: string[]
  /** By id of a strand that was removed or never opened: the strand that has its events. */
  readonly moved: Map<string, string>
  /** A cache for the whole box: the words of all its events are counted before the first is woven. */
  readonly rarities: Map<string, number>
}

/** @param judged in the order of their utterances; the boxes of several conversations may alternate */
export function* weave(
  judged: readonly JudgedEvent[],
  parameters: { readonly sameBoxScore: number; readonly maxTracesPerEvent: number },
): Effects<readonly Draft<EventLinked>[]> {
  const drafts: Draft<EventLinked>[] = []
  const moved = new Map<string, string>()
  const byModel = yield* isAskedOfModel(verifyLinks)
  const boxes = Map.groupBy(judged, ({ arrival }) => arrival.mention.box)
  const progressOf = new Map<string, WeaveProgress>()
  for (const each of judged) {
    const { box, event } = each.arrival.mention
    const progress = progressOf.get(box) ?? { opened: [], moved, rarities: new Map() }
    if (!progressOf.has(box)) {
      progressOf.set(box, progress)
      const mentions = boxes.get(box)?.map(({ arrival }) => arrival.mention) ?? []
      yield* countTerms(mentions, byModel ? 'event' : 'box')
    }
    const all = yield* destinationsOf(each, moved)
    const ofOwnBox = all.filter(({ strand }) => isBoxWaiting(each.arrival, strand))
    const others = all.filter((one) => !ofOwnBox.includes(one)).slice(0, parameters.maxTracesPerEvent)
    const home = homeOf(others)
    if (home !== null) drafts.push(...(yield* settle(each, home, [...others, ...ofOwnBox], progress)))
    const alike = byModel ? ofOwnBox : yield* alikeIn(each.arrival, progress, parameters)
    const strand = home === null ? yield* wait(each.arrival, alike, progress) : home.id
    yield* note(each.arrival, strand)
    if (byModel) yield* noteMatter(each.arrival, strand)
    if (strand !== traceId(event)) moved.set(traceId(event), strand)
  }
  return drafts
}

function* note({ mention, persons }: Arrival, strand: string): Effects<void> {
  yield* put(eventShares, mention.event, { strand, mention, persons, links: [] })
}

function* destinationsOf(found: JudgedEvent, moved: ReadonlyMap<string, string>): Effects<readonly Destination[]> {
  const destinations = new Map<string, Destination>()
  for (const { candidate, ...link } of found.links) {
    let { id } = candidate
    for (let next = moved.get(id); next !== undefined; next = moved.get(id)) id = next
    // An earlier event of the batch may have pushed the strand out of its last bucket.
    const strand = (yield* get(strands, id)) ?? { ...candidate.strand, buckets: 0 }
    if (!destinations.has(id)) destinations.set(id, { ...link, id, strand })
  }
  return [...destinations.values()]
}

/** Links with this share of the best score tie with it. */
const tieShare = 0.8

/** Among tied strands, a trace if there is one, else the oldest strand, so that one matter becomes one trace. */
function homeOf(destinations: readonly Destination[]): Destination | null {
  const best = destinations.filter(({ score }) => score >= tieShare * (destinations[0]?.score ?? 0))
  const inOrder = best.toSorted((a, b) => (a.strand.waiting[0]?.toldAt ?? 0) - (b.strand.waiting[0]?.toldAt ?? 0))
  return best.find(({ strand }) => strand.links > 0) ?? inOrder[0] ?? null
}

/**
 * Adds the event to its home and to the other traces that it belongs to. Waiting events of the same matter join the
 * home, too, unless they are older than its last event: a trace keeps the order of its utterances.
 */
function* settle(
  found: JudgedEvent,
  home: Destination,
  destinations: readonly Destination[],
  { moved, rarities }: WeaveProgress,
): Effects<readonly Draft<EventLinked>[]> {
  const last = home.strand.recent.at(-1)?.toldAt ?? 0
  const others = destinations.filter((destination) => destination.id !== home.id)
  const along = others.filter(
    ({ strand }) => strand.links === 0 && strand.waiting.every((mention) => mention.toldAt >= last),
  )
  for (const { id, strand } of along) {
    yield* deleteStrand(id, strand)
    moved.set(id, home.id)
  }
  const arrivals = along.flatMap(({ strand }) => arrivalsOf(strand))
  const drafts = [...(yield* join(found, home, { along: arrivals, rarities }))]
  for (const trace of others.filter(({ strand }) => strand.links > 0))
    drafts.push(...(yield* join(found, trace, { along: [], rarities })))
  return drafts
}

function arrivalsOf({ waiting, persons }: Strand): readonly Arrival[] {
  return waiting.map((mention) => ({ mention, persons: persons.map(({ person }) => person) }))
}

/** Adds the event to a strand of earlier boxes, which makes the strand a trace. */
function* join(
  found: JudgedEvent,
  to: Destination,
  { along, rarities }: { readonly along: readonly Arrival[]; readonly rarities: Map<string, number> },
): Effects<readonly Draft<EventLinked>[]> {
  const arriving = [...along.toSorted((a, b) => a.mention.toldAt - b.mention.toldAt), found.arrival]
  const grown = arriving.reduce(withEvent, to.strand)
  const unlinked = [...to.strand.waiting, ...arriving.map((arrival) => arrival.mention)]
  const after: Strand = {
    ...grown,
    title: title(grown, yield* raritiesOf([grown.terms], rarities)),
    links: to.strand.links + unlinked.length,
    waiting: [],
    previous: found.arrival.mention.event,
  }
  const words = arriving.map((arrival) => arrival.mention.words)
  yield* storeStrand(to.id, after, words, rarities)
  const previous = [to.strand.previous, ...unlinked.map((mention) => mention.event)]
  return unlinked.map((mention, index) => ({
    type: 'EventLinked',
    trace: to.id,
    event: mention.event,
    box: mention.box,
    previous: previous[index] ?? null,
    title: after.title,
    score: to.score,
    position: to.strand.links + index,
    origin: {
      causes: [mention.event, previous[index] ?? null].filter((cause) => cause !== null),
      completions: to.completions,
      method: to.method,
    },
  }))
}

/** By rules: the strands of the event's own box that are similar enough for it to wait in. */
function* alikeIn(
  arrival: Arrival,
  { opened, rarities }: WeaveProgress,
  { sameBoxScore }: { readonly sameBoxScore: number },
): Effects<readonly Pick<Destination, 'id' | 'strand'>[]> {
  const { words } = arrival.mention
  const alike: Pick<Destination, 'id' | 'strand'>[] = []
  for (const id of opened) {
    const strand = yield* get(strands, id)
    if (strand === null || !shareAPerson(strand, arrival)) continue
    const similarity = nearness(words, strand, yield* raritiesOf(comparedTerms(words, strand), rarities))
    if (similarity >= sameBoxScore) alike.push({ id, strand })
  }
  return alike
}

/**
 * Puts an event without a match in another box into a waiting strand: one with similar events of its own box, or a new
 * one.
 * @returns the strand's id
 */
function* wait(
  arrival: Arrival,
  alike: readonly Pick<Destination, 'id' | 'strand'>[],
  { opened, rarities }: WeaveProgress,
): Effects<string> {
  const home = alike.find(({ strand }) => strand.waiting.length < maxWaitingPerStrand)
  const id = home?.id ?? traceId(arrival.mention.event)
  if (home === undefined) opened.push(id)
  yield* begin(id, home?.strand ?? emptyStrand, arrival, rarities)
  return id
}

/** Whether the strand and the event name a common person, or neither names any. */
function shareAPerson(strand: Strand, { persons }: Arrival): boolean {
  if (strand.persons.length === 0 && persons.length === 0) return true
  return strand.persons.some(({ person }) => persons.includes(person))
}

function* begin(id: string, strand: Strand, arrival: Arrival, known: Map<string, number>): Effects<void> {
  const grown = withEvent(strand, arrival)
  const rarities = yield* raritiesOf([grown.terms], known)
  const waiting = [...strand.waiting, arrival.mention]
  yield* storeStrand(id, { ...grown, title: title(grown, rarities), waiting }, [arrival.mention.words], known)
}
