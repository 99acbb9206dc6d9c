/**
 * Retracts events: removes an event's words and persons from its strands, ends its links, and renames its traces by their remaining
 * events. The event's position in a trace stays empty, so that the other positions never move.
 */
import {
  addBan,
  banEvidence,
  banOf,
  concernOf,
  forgetMemory,
  memoriesFrom,
  noteMemory,
  type RecordedMemory,
} from '@loomlog/corrections/bans'
import { type Effects, get, put, range } from '@loomlog/runtime/step'
import type {
  Draft,
  EventLinked,
  EventRetracted,
  EvidenceRetracted,
  LinesRetracted,
  MemoryCorrected,
  RetractReason,
  Role,
  TraceRetitled,
} from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { forget, raritiesOf } from './buckets.ts'
import { memoryOf } from './event-drafts.ts'
import {
  type EventDraft,
  linkKey,
  links,
  maxStrandsPerBucket,
  type Strand,
  strand as strands,
  type Woven,
  woven,
} from './state.ts'
import { type Arrival, title, traceId } from './strands.ts'

/** At most this many links of a trace get its new title. */
const maxRetitled = 1_000

export type Retraction = Draft<EventRetracted> | Draft<TraceRetitled>

/** @param roles of the utterances it may cite */
export function* noteEvent(
  { mention, persons }: Arrival,
  draft: EventDraft,
  roles: ReadonlyMap<string, Role>,
): Effects<void> {
  yield* noteMemory({ id: mention.event, ...memoryOf(draft, roles), corrected: draft.box === '' ? 'yes' : 'no' })
  yield* put(woven, mention.event, {
    box: mention.box,
    stems: mention.words.map((word) => word.stem),
    persons,
    links: [],
  })
}

/** @param first the ordinal of the first link among the outputs of the cause */
export function* noteLinks(cause: string, drafts: readonly Draft<EventLinked>[], first: number): Effects<void> {
  for (const [index, { event, trace, position }] of drafts.entries()) {
    const id = derivedId('trace-weaver', cause, first + index)
    const before = yield* get(woven, event)
    if (before === null || 'retractedBy' in before) continue
    yield* put(woven, event, { ...before, links: [...before.links, { id, trace, position }] })
    yield* put(links, linkKey(trace, position), id)
  }
}

export function* correct(event: MemoryCorrected): Effects<readonly Retraction[]> {
  const { id, target, role, action } = event
  if (target === null || action === 'unknown') return []
  const ban = banOf({ id, target, role })
  yield* addBan(target.sources, ban)
  const concerned = (yield* memoriesFrom(target.sources)).filter((memory) => concernOf(ban, memory) === 'banned')
  for (const memory of concerned) yield* forgetMemory(memory)
  return yield* retractAll(concerned, id, 'corrected')
}

export function* undo(event: EvidenceRetracted | LinesRetracted, derivation: string): Effects<readonly Retraction[]> {
  if (event.type === 'EvidenceRetracted' && event.derivation !== null && event.derivation !== derivation) return []
  const correction = event.type === 'EvidenceRetracted' ? event.id : (event.lineage.causes[0] ?? event.id)
  return yield* retractAll(yield* banEvidence(event.utterances, correction), correction, 'undone')
}

function* retractAll(
  memories: readonly RecordedMemory[],
  correction: string,
  cause: RetractReason,
): Effects<readonly Retraction[]> {
  const drafts: Retraction[] = []
  const traces = new Set<string>()
  for (const { id, sources } of memories) {
    const known = yield* get(woven, id)
    if (known === null || 'retractedBy' in known) continue
    yield* put(woven, id, { retractedBy: correction, cause })
    yield* unweave(id, known)
    for (const link of known.links) {
      yield* put(links, linkKey(link.trace, link.position), null)
      traces.add(link.trace)
    }
    drafts.push(retraction(id, { correction, cause, links: known.links.map((link) => link.id), sources }))
  }
  for (const trace of traces) drafts.push(...(yield* retitle(trace)))
  return drafts
}

function retraction(
  event: string,
  { sources, ...why }: Pick<EventRetracted, 'correction' | 'cause' | 'links'> & { readonly sources: readonly string[] },
): Draft<EventRetracted> {
  const origin = { causes: [why.correction, event, ...sources], completions: [], method: 'rules' }
  return { type: 'EventRetracted', event, ...why, origin }
}

/** Removes the event from the traces that it is linked to, or from the strand in which it waits. */
function* unweave(event: string, known: Woven): Effects<void> {
  const linked = new Set(known.links.map((link) => link.trace))
  for (const id of new Set([...linked, ...possibleWaitingStrands(known.box)])) {
    const before = yield* get(strands, id)
    if (before === null || !(linked.has(id) || before.waiting.some((mention) => mention.event === event))) continue
    const after = without(before, event, known)
    const rarities = yield* raritiesOf([after.terms])
    if (after.events === 0) yield* forget(id, before)
    else yield* put(strands, id, { ...after, title: title(after, rarities) })
  }
}

/** An event waits in a strand that an event of its own box opened. */
function possibleWaitingStrands(box: string): readonly string[] {
  return Array.from({ length: maxStrandsPerBucket }, (_, ordinal) => traceId(derivedId('trace-weaver', box, ordinal)))
}

function without(strand: Strand, event: string, { stems, persons }: Woven): Strand {
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

/** Drops retracted events. A retry records all events of its box again, so it also repeats their retractions. */
export function* withoutRetracted(
  arrivals: readonly Arrival[],
): Effects<{ readonly left: readonly Arrival[]; readonly again: readonly Draft<EventRetracted>[] }> {
  const left: Arrival[] = []
  const again: Draft<EventRetracted>[] = []
  for (const each of arrivals) {
    const known = yield* get(woven, each.mention.event)
    if (known === null || !('retractedBy' in known)) left.push(each)
    else {
      const { retractedBy: correction, cause } = known
      again.push(retraction(each.mention.event, { correction, cause, links: [], sources: [] }))
    }
  }
  return { left, again }
}
