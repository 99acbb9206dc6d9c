/**
 * Trace Weaver (Membox): finds the events that a sealed box tells of, and weaves them into traces, the timelines of one matter
 * across boxes.
 *
 * What a correction, or an undoing, concerns is taken out again; what a person corrects to have happened is an event like others.
 *
 * Every event of a box is recorded once, citing utterances of that box. A strand of events becomes a trace when a second box
 * joins it: then the events before it are linked as well, from position 0, without gaps. A trace's id comes from its first event.
 */
import type { Sequenced } from '@loomlog/runtime/processor'
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
import { allowed, boxText, eventOf, recorded, rolesIn, type Telling } from './recording.ts'
import { correct, noteEvent, noteLinks, stillTold, undo } from './retracting.ts'
import { type EventDraft, unwoven } from './state.ts'
import type { Arrival } from './strands.ts'
import { extractEvents, type LinkQuestion, type Links, verifyLinks } from './tasks.ts'
import { tellingWords } from './telling-words.ts'
import { type Found, weave } from './weave.ts'

export type Parameters = {
  readonly maxEventsPerBox: number
  /** Strands that one event is asked about. */
  readonly maxCandidates: number
  readonly maxTracesPerEvent: number
  /** From which overlap on a strand is asked about. */
  readonly candidateScore: number
  /** From which score of the answer on an event is linked. */
  readonly linkScore: number
  /** By rules: how much of a link's score comes from the cosine of embeddings; the rest is the overlap of rare words. */
  readonly meaningShare: number
  /** From which overlap on two events of one box that belong to nothing yet wait in one strand. */
  readonly sameBoxScore: number
}

export type Input = BoxSealed | LinesRetracted | MemoryCorrected | EvidenceRetracted
export type TraceEvent = EventRecorded | EventLinked | EventRetracted | TraceRetitled

export function* step(event: Sequenced<Input>, parameters: Parameters, derivation: string): Step<Draft<TraceEvent>> {
  switch (event.type) {
    case 'BoxSealed':
      return yield* told(event, parameters)
    case 'MemoryCorrected': {
      const retracted = yield* correct(event)
      const stated = eventOf(event)
      const own = { id: event.id, utterances: [] }
      // First, so that its id is the same in every derivation, however many events it takes the place of.
      return [...(yield* weaveIn(own, stated === null ? [] : [stated], parameters)), ...retracted]
    }
    default:
      return yield* undo(event, derivation)
  }
}

function* told(box: Sequenced<BoxSealed>, parameters: Parameters): Step<Draft<TraceEvent>> {
  const before = yield* get(unwoven, box.id)
  if (before !== null) return yield* weaveIn(box, before, parameters)
  const found = recorded(box, yield* ask(extractEvents, boxText(box)), parameters.maxEventsPerBox)
  return yield* weaveIn(box, yield* allowed(found, rolesIn(box)), parameters)
}

/** Events of a box, or of a correction, with the links that were found for them. */
function* weaveIn(origin: Telling, events: readonly EventDraft[], parameters: Parameters): Step<Draft<TraceEvent>> {
  const arrivals = events.map((event, ordinal) => arrival(origin, event, derivedId('trace-weaver', origin.id, ordinal)))
  const before = yield* get(unwoven, origin.id)
  if (before === null) {
    for (const [ordinal, each] of arrivals.entries()) {
      yield* noteEvent(each, events[ordinal] as EventDraft, rolesIn(origin))
    }
  }
  const { left, again } = yield* stillTold(arrivals)
  const found: readonly Found[] | null = yield* findLinks(left, parameters)
  if (found === null) {
    // What they belong to is not known: they stand alone until the retry, which weaves these same events.
    yield* put(unwoven, origin.id, events)
    return [...events, ...again]
  }
  if (before !== null) yield* put(unwoven, origin.id, null)
  const links = yield* weave(origin.id, found, parameters)
  yield* noteLinks(origin.id, links, events.length)
  return [...events, ...links, ...again]
}

/** What each event belongs to, judged against earlier boxes only; null where one of them got no answer. */
function* findLinks(arrivals: readonly Arrival[], parameters: Parameters): Effects<readonly Found[] | null> {
  const open: { readonly arrival: Arrival; readonly candidates: readonly Candidate[] }[] = []
  const known = new Map<string, number>()
  for (const each of arrivals) {
    open.push({ arrival: each, candidates: yield* candidates(each.told.words, parameters, known) })
  }
  const asked = open.filter((each) => each.candidates.length > 0)
  const answers = yield* askAll(verifyLinks, asked.map(question))
  if (answers.some((answer) => answer.none !== null)) return null
  return open.map((each) => {
    const answer = answers[asked.indexOf(each)]
    const origin = { completions: answer?.completions ?? [], method: answer?.by ?? 'rules' }
    return { ...each, ...origin, links: answer?.value ? chosen(answer.value, each.candidates, parameters) : [] }
  })
}

function arrival(box: Telling, event: EventDraft, id: string): Arrival {
  const { text, when, toldAt, persons, keywords } = event
  const undated = when === null ? text : text.replace(when.text, ' ')
  const speakers = box.utterances.map((utterance) => utterance.speaker)
  const words = tellingWords({ text: undated, keywords }, speakers)
  return { told: { event: id, box: box.id, text, when, toldAt, words }, persons }
}

function question({ arrival, candidates }: { arrival: Arrival; candidates: readonly Candidate[] }): LinkQuestion {
  return {
    event: { ...timed(arrival.told), persons: arrival.persons },
    candidates: candidates.map(({ strand, overlap }, index) => ({
      label: label(index),
      title: strand.title,
      persons: strand.persons.map(({ person }) => person),
      events: strand.recent.map(timed),
      // In twentieths: a count elsewhere in the space should not make it another question.
      overlap: Math.round(overlap * 20) / 20,
    })),
  }
}

function timed({ text, when, toldAt }: Arrival['told']): { readonly text: string; readonly on: string } {
  return { text, on: isoDay(when?.from ?? toldAt) }
}

/** The strongest links of an answer; labels that stand for nothing and scores that are none are dropped. */
function chosen({ links }: Links, candidates: readonly Candidate[], parameters: Parameters): Found['links'] {
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
