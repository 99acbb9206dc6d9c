/**
 * Retracts events: removes an event's words and persons from its strands, ends its links, and renames its traces by their remaining
 * events. The event's position in a trace stays empty, so that the other positions never move.
 */
import { type Effects, get, put, range } from '@loomlog/runtime/step'
import type { Draft, EventLinked, EventRetracted, RetractReason, TraceRetitled } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { forget, raritiesOf } from './buckets.ts'
import { type EventShare, eventShares, linkKey, links, type Strand, strand as strands } from './state.ts'
import { title } from './strands.ts'

/** At most this many links of a trace get its new title. */
const maxRetitled = 1_000

export type Retraction = Draft<EventRetracted> | Draft<TraceRetitled>

/** Links of the outputs of `cause`, so that a retraction finds them. */
export function* noteLinks(cause: string, drafts: readonly Draft<EventLinked>[]): Effects<void> {
  for (const [ordinal, { event, trace, position }] of drafts.entries()) {
    const id = derivedId('trace-weaver', cause, ordinal)
    const before = yield* get(eventShares, event)
    if (before === null || typeof before === 'string') continue
    yield* put(eventShares, event, { ...before, links: [...before.links, { id, trace, position }] })
    yield* put(links, linkKey(trace, position), id)
  }
}

/** @param correction the source event that asks for it */
export function* retractEvents(
  events: readonly string[],
  { correction, cause }: { readonly correction: string; readonly cause: RetractReason },
): Effects<readonly Retraction[]> {
  const drafts: Retraction[] = []
  const traces = new Set<string>()
  for (const event of events) {
    const known = yield* get(eventShares, event)
    if (known === null || known === 'retracted') continue
    yield* put(eventShares, event, 'retracted')
    if (known === 'open') continue
    yield* unweave(event, known)
    for (const { trace, position } of known.links) {
      yield* put(links, linkKey(trace, position), null)
      traces.add(trace)
    }
    if (known.links.length === 0) continue
    const ended = known.links.map((link) => link.id)
    const origin = { causes: [correction, event], completions: [], method: 'rules' }
    drafts.push({ type: 'EventRetracted', event, correction, cause, links: ended, origin })
  }
  for (const trace of traces) drafts.push(...(yield* retitle(trace)))
  return drafts
}

/** Removes the event from the traces that it is linked to, or from the strand in which it waits. */
function* unweave(event: string, known: EventShare): Effects<void> {
  for (const id of new Set([known.strand, ...known.links.map((link) => link.trace)])) {
    const before = yield* get(strands, id)
    const isLinked = known.links.some((link) => link.trace === id)
    if (before === null || !(isLinked || before.waiting.some((mention) => mention.event === event))) continue
    const after = without(before, event, known)
    const rarities = yield* raritiesOf([after.terms])
    if (after.events === 0) yield* forget(id, before)
    else yield* put(strands, id, { ...after, title: title(after, rarities) })
  }
}

function without(strand: Strand, event: string, { stems, persons }: EventShare): Strand {
  const lost = new Set(stems)
  const recent = strand.recent.filter((each) => each.event !== event)
  const previous = strand.previous === event ? (recent.at(-1)?.event ?? null) : strand.previous
  return {
    ...strand,
    events: strand.events - 1,
    terms: strand.terms.map((term) => less(term, lost.has(term.stem) ? 1 : 0)).filter((term) => term.count > 0),
    persons: strand.persons
      .map((each) => less(each, persons.includes(each.person) ? 1 : 0))
      .filter(({ count }) => count > 0),
    recent,
    waiting: strand.waiting.filter((each) => each.event !== event),
    previous,
  }
}

function less<T extends { readonly count: number }>(counted: T, by: 0 | 1): T {
  return { ...counted, count: counted.count - by }
}

/** Gives the trace's new title to all of its links, which carry the one of their time. */
function* retitle(trace: string): Effects<readonly Draft<TraceRetitled>[]> {
  const left = (yield* range(links, `${trace}/`, maxRetitled)).map(([, link]) => link)
  if (left.length === 0) return []
  const named = (yield* get(strands, trace))?.title ?? ''
  const origin = { causes: [], completions: [], method: 'rules' }
  return [{ type: 'TraceRetitled', trace, title: named, links: left, origin }]
}
