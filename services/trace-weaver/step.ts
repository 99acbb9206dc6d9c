/**
 * Trace Weaver (Membox): finds the events in a sealed box, and weaves them into traces, the timelines of one matter across boxes.
 *
 * Every event of a box is recorded once and cites utterances of that box. A strand of events becomes a trace when a second box
 * joins it: then its earlier events are linked too, from position 0, without gaps. A trace's id comes from its first event.
 * Corrections and undo by cause retract events. An event that a person states by a correction is woven like any other.
 */
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { ask, askAll, type Effects, get, put, type Step } from '@loomlog/runtime/step'
import type {
  BoxSealed,
  Draft,
  EventLinked,
  EventRecorded,
  EventRetracted,
  EvidenceRetracted,
  LinesRetracted,
  MemoryCorrected,
  TraceRetitled,
} from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { type Candidate, candidates } from './buckets.ts'
import { isoDay } from './days.ts'
import { boxText, correctedEvent, type EventOrigin, eventDrafts, rolesIn, withoutBanned } from './event-drafts.ts'
import { eventTerms } from './event-terms.ts'
import { correct, noteEvent, noteLinks, undo, withoutRetracted } from './retraction.ts'
import { type EventDraft, unwoven } from './state.ts'
import type { Arrival } from './strands.ts'
import type { LinkQuestion, Links } from './task-types.ts'
import { extractEvents, verifyLinks } from './tasks.ts'
import { type JudgedEvent, weave } from './weave.ts'

export type Parameters = {
  readonly maxEventsPerBox: number
  /** The most strands in one ask. */
  readonly maxCandidates: number
  readonly maxTracesPerEvent: number
  /** The lowest overlap of a candidate strand. */
  readonly candidateScore: number
  /** The lowest score of a link. */
  readonly linkScore: number
  /** By rules: the share of the cosine of embeddings in a link's score; the rest is the overlap of rare words. */
  readonly meaningShare: number
  /** The lowest overlap of two unmatched events of one box that wait in one strand. */
  readonly sameBoxScore: number
}

export type Input = BoxSealed | LinesRetracted | MemoryCorrected | EvidenceRetracted
export type TraceEvent = EventRecorded | EventLinked | EventRetracted | TraceRetitled

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<TraceEvent>> {
  switch (event.type) {
    case 'BoxSealed':
      return yield* recordBox(event, parameters)
    case 'MemoryCorrected': {
      const retracted = yield* correct(event)
      const stated = correctedEvent(event)
      const own = { id: event.id, utterances: [] }
      // The first output, so that its id is the same in every derivation, regardless of how many events it replaces.
      return [...(yield* weaveIn(own, stated === null ? [] : [stated], parameters)), ...retracted]
    }
    default:
      return yield* undo(event, derivation)
  }
}

function* recordBox(box: SequencedEvent<BoxSealed>, parameters: Parameters): Step<Draft<TraceEvent>> {
  const before = yield* get(unwoven, box.id)
  if (before !== null) return yield* weaveIn(box, before, parameters)
  const drafts = eventDrafts(box, yield* ask(extractEvents, boxText(box)), parameters.maxEventsPerBox)
  return yield* weaveIn(box, yield* withoutBanned(drafts, rolesIn(box)), parameters)
}

/** The events of a box, or of a correction, with their links. */
function* weaveIn(origin: EventOrigin, events: readonly EventDraft[], parameters: Parameters): Step<Draft<TraceEvent>> {
  const arrivals = events.map((event, ordinal) => arrival(origin, event, derivedId('trace-weaver', origin.id, ordinal)))
  const before = yield* get(unwoven, origin.id)
  if (before === null) {
    for (const [ordinal, each] of arrivals.entries()) {
      yield* noteEvent(each, events[ordinal] as EventDraft, rolesIn(origin))
    }
  }
  const { left, again } = yield* withoutRetracted(arrivals)
  const found: readonly JudgedEvent[] | null = yield* findLinks(left, parameters)
  if (found === null) {
    // Without an answer the events are recorded without links, and a retry weaves the same events.
    yield* put(unwoven, origin.id, events)
    return [...events, ...again]
  }
  if (before !== null) yield* put(unwoven, origin.id, null)
  const links = yield* weave(origin.id, found, parameters)
  yield* noteLinks(origin.id, links, events.length)
  return [...events, ...links, ...again]
}

/** The links of each event, judged against earlier boxes only; null if one ask has no answer. */
function* findLinks(arrivals: readonly Arrival[], parameters: Parameters): Effects<readonly JudgedEvent[] | null> {
  const open: { readonly arrival: Arrival; readonly candidates: readonly Candidate[] }[] = []
  const known = new Map<string, number>()
  for (const each of arrivals) {
    open.push({ arrival: each, candidates: yield* candidates(each.mention.words, parameters, known) })
  }
  const asked = open.filter((each) => each.candidates.length > 0)
  const answers = yield* askAll(verifyLinks, asked.map(question))
  if (answers.some((answer) => answer.kind === 'none')) return null
  return open.map((each) => {
    const answer = answers[asked.indexOf(each)]
    const origin = { completions: answer?.completions ?? [], method: answer?.by ?? 'rules' }
    return { ...each, ...origin, links: answer?.value ? chosen(answer.value, each.candidates, parameters) : [] }
  })
}

function arrival(box: EventOrigin, event: EventDraft, id: string): Arrival {
  const { text, when, toldAt, persons, keywords } = event
  const undated = when === null ? text : text.replace(when.text, ' ')
  const speakers = box.utterances.map((utterance) => utterance.speaker)
  const words = eventTerms({ text: undated, keywords }, speakers)
  return { mention: { event: id, box: box.id, text, when, toldAt, words }, persons }
}

function question({ arrival, candidates }: { arrival: Arrival; candidates: readonly Candidate[] }): LinkQuestion {
  return {
    event: { ...timed(arrival.mention), persons: arrival.persons },
    candidates: candidates.map(({ strand, overlap }, index) => ({
      label: label(index),
      title: strand.title,
      persons: strand.persons.map(({ person }) => person),
      events: strand.recent.map(timed),
      // Rounded, so that a new count elsewhere in the space rarely makes another ask.
      overlap: Math.round(overlap * 20) / 20,
    })),
  }
}

function timed({ text, when, toldAt }: Arrival['mention']): { readonly text: string; readonly on: string } {
  return { text, on: isoDay(when?.from ?? toldAt) }
}

/** The strongest links of an answer, without unknown labels and invalid scores. */
function chosen({ links }: Links, candidates: readonly Candidate[], parameters: Parameters): JudgedEvent['links'] {
  const best = candidates.map((candidate, index) => {
    const scores = links.filter((link) => link.label === label(index) && link.score >= 0 && link.score <= 1)
    return { candidate, score: Math.max(0, ...scores.map((link) => link.score)) }
  })
  return best
    .filter(({ score }) => score >= parameters.linkScore)
    .sort((a, b) => b.score - a.score)
    .slice(0, parameters.maxTracesPerEvent)
}

function label(index: number): string {
  return `t${index + 1}`
}
