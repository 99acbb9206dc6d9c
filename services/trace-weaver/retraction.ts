/**
 * Retracts events: ends their links, rebuilds their strands from the remaining events, and renames their traces by
 * them, also a trace whose strand is deleted. A retracted event's position in a trace stays empty, so that the other
 * positions never move.
 */
import { type Effects, get, put, range } from '@loomlog/runtime/step'
import type { Draft, EventLinked, EventRetracted, RetractReason, TraceRetitled } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { eventShares, type Link, linkKey, links, type Mention, type Strand, strand as strands } from './state.ts'
import { type Arrival, emptyStrand, title, withEvent } from './strands.ts'
import { leaveBuckets, raritiesOf, stemsOf } from './term-index.ts'

/** The newest links of a trace, at most: they get its new title, and their events give it. */
const maxRemaining = 1_000

export type Retraction = Draft<EventRetracted> | Draft<TraceRetitled>

/** Records the links among the outputs of `cause`, so that a retraction finds them. */
export function* recordLinks(cause: string, drafts: readonly Draft<EventLinked>[]): Effects<void> {
  for (const [ordinal, { event, trace, position }] of drafts.entries()) {
    const id = derivedId('trace-weaver', cause, ordinal)
    const before = yield* get(eventShares, event)
    if (before === null || typeof before === 'string') continue
    yield* put(eventShares, event, { ...before, links: [...before.links, { id, trace, position }] })
    yield* put(links, linkKey(trace, position), { id, event })
  }
}

/** @param correction the source event that asks for it */
export function* retractEvents(
  events: readonly string[],
  { correction, cause }: { readonly correction: string; readonly cause: RetractReason },
): Effects<readonly Retraction[]> {
  const drafts: Retraction[] = []
  /** By strand: its retracted events. */
  const gone = new Map<string, Mention[]>()
  const traces = new Set<string>()
  for (const event of events) {
    const known = yield* get(eventShares, event)
    if (known === null || known === 'retracted') continue
    yield* put(eventShares, event, 'retracted')
    if (known === 'open') continue
    for (const { trace, position } of known.links) {
      yield* put(links, linkKey(trace, position), null)
      traces.add(trace)
    }
    for (const id of new Set([known.strand, ...known.links.map(({ trace }) => trace)]))
      gone.set(id, [...(gone.get(id) ?? []), known.mention])
    if (known.links.length === 0) continue
    const ended = known.links.map((link) => link.id)
    const origin = { causes: [correction, event], completions: [], method: 'rules' }
    drafts.push({ type: 'EventRetracted', event, correction, cause, links: ended, origin })
  }
  for (const [id, mentions] of gone) {
    const { named, linked } = yield* rebuild(id, mentions)
    if (traces.has(id) && linked.length > 0) drafts.push(retitled(id, named, linked))
  }
  return drafts
}

/** Rebuilds the strand without its retracted events. It is deleted if no event is left, or no bucket. */
function* rebuild(
  id: string,
  gone: readonly Mention[],
): Effects<{ readonly named: string; readonly linked: readonly Link[] }> {
  const before = yield* get(strands, id)
  const linked = (yield* range(links, `${id}/`, maxRemaining)).map(([, link]) => link).toReversed()
  const retracted = new Set(gone.map(({ event }) => event))
  const waiting = (before?.waiting ?? []).filter(({ event }) => !retracted.has(event))
  const remaining = yield* arrivalsOf([...linked, ...waiting].map(({ event }) => event))
  const whole = remaining.reduce(withEvent, emptyStrand)
  const named = title(whole, yield* raritiesOf([whole.terms]))
  if (before !== null) {
    const kept = stemsOf(remaining.map(({ mention }) => mention))
    const buckets =
      before.buckets -
      (yield* leaveBuckets(
        id,
        [...stemsOf(gone)].filter((stem) => !kept.has(stem)),
      ))
    const previous = linked.at(-1)?.event ?? null
    const after: Strand = { ...whole, title: named, links: before.links, waiting, previous, buckets }
    yield* put(strands, id, remaining.length === 0 || buckets === 0 ? null : after)
  }
  return { named, linked }
}

function* arrivalsOf(events: readonly string[]): Effects<readonly Arrival[]> {
  const arrivals: Arrival[] = []
  for (const event of events) {
    const share = yield* get(eventShares, event)
    if (share !== null && typeof share === 'object') arrivals.push({ mention: share.mention, persons: share.persons })
  }
  return arrivals
}

/** Gives the trace's new title to its links, which carry the title that the trace had when they were written. */
function retitled(trace: string, named: string, linked: readonly Link[]): Draft<TraceRetitled> {
  const origin = { causes: [], completions: [], method: 'rules' }
  return { type: 'TraceRetitled', trace, title: named, links: linked.map(({ id }) => id), origin }
}
