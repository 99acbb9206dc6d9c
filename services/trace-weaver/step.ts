/**
 * Trace Weaver (Membox): weaves events, the facts that happened or are planned, into traces, the timelines of one
 * matter across boxes. Events wait in the open batch of their space until a window of boxes ends, and are linked
 * together, with one ask.
 *
 * A strand of events becomes a trace when an event of a second box joins it. Its earlier events are linked then, too,
 * from position 0, without gaps. A trace's id comes from its first event. A retracted fact leaves its traces. A fact
 * that a person states by a correction is woven at once.
 */
import { cite, undoSources } from '@loomlog/runtime/citations'
import { append, takeAll } from '@loomlog/runtime/keyed-list'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Effects, get, isAskedOfModel, put, type Step } from '@loomlog/runtime/step'
import type {
  Draft,
  EventLinked,
  EventRetracted,
  EvidenceRetracted,
  FactRecorded,
  FactRetracted,
  TraceRetitled,
  WindowExtracted,
} from '@loomlog/schemas/events'
import { arrivalOf, eventOf, isEvent } from './event-facts.ts'
import { findLinks, type LinkParameters } from './find-links.ts'
import { type Retraction, recordLinks, retractEvents } from './retraction.ts'
import { batchSize, closedBatches, type EventFact, eventShares, maxSpeakers, openBatch, speakers } from './state.ts'
import type { Arrival } from './strands.ts'
import { verifyLinks } from './tasks.ts'
import { weave } from './weave.ts'

export type Parameters = LinkParameters & {
  /** With a model: a window ends a batch of at least this many events; a pause ends a smaller one, too. */
  readonly minBatchEvents: number
  /** A batch of this many events doesn't wait for the end of its window. */
  readonly maxBatchEvents: number
  /** By rules: events of one box wait in one strand from this similarity on. With a model, its answer decides. */
  readonly sameBoxScore: number
}

export type Input = FactRecorded | FactRetracted | WindowExtracted | EvidenceRetracted
export type TraceEvent = EventLinked | EventRetracted | TraceRetitled

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<TraceEvent>> {
  const closed = yield* get(closedBatches, event.id)
  if (closed !== null) return closed === 'woven' ? [] : yield* weaveBatch(event.id, closed, parameters)
  switch (event.type) {
    case 'FactRecorded':
      return yield* accept(event, parameters)
    case 'WindowExtracted':
      return (yield* endsBatch(event, parameters)) ? yield* closeBatch(event.id, parameters) : []
    case 'FactRetracted':
      return yield* retractEvents([event.fact], event)
    default:
      return yield* undo(event, derivation)
  }
}

/** A correction is woven at once, and regardless of undo events; any other event waits for the end of its batch. */
function* accept(fact: SequencedEvent<FactRecorded>, parameters: Parameters): Step<Draft<TraceEvent>> {
  yield* noteSpeaker(fact)
  if (!isEvent(fact) || (yield* get(eventShares, fact.id)) !== null) return []
  if (fact.correction === null && !(yield* cite(fact.id, fact.sources))) return []
  yield* put(eventShares, fact.id, 'open')
  if (fact.correction !== null) return yield* weaveBatch(fact.id, [eventOf(fact)], parameters)
  const size = (yield* get(batchSize, '')) ?? 0
  yield* append(openBatch, { list: '', place: size }, eventOf(fact))
  yield* put(batchSize, '', size + 1)
  return size + 1 < parameters.maxBatchEvents ? [] : yield* closeBatch(fact.id, parameters)
}

function* noteSpeaker({ conversation, speaker }: FactRecorded): Effects<void> {
  const known = (yield* get(speakers, conversation)) ?? []
  if (known.includes(speaker) || known.length >= maxSpeakers) return
  yield* put(speakers, conversation, [...known, speaker])
}

/** By rules an ask costs nothing, so a batch ends with its window. With a model several windows share an ask. */
function* endsBatch({ closedBy }: WindowExtracted, { minBatchEvents }: Parameters): Effects<boolean> {
  if (closedBy === 'pause' || !(yield* isAskedOfModel(verifyLinks))) return true
  return ((yield* get(batchSize, '')) ?? 0) >= minBatchEvents
}

function* closeBatch(cause: string, parameters: Parameters): Step<Draft<TraceEvent>> {
  const size = (yield* get(batchSize, '')) ?? 0
  if (size === 0) return []
  yield* put(batchSize, '', null)
  return yield* weaveBatch(cause, yield* takeAll(openBatch, '', size), parameters)
}

function* weaveBatch(cause: string, events: readonly EventFact[], parameters: Parameters): Step<Draft<TraceEvent>> {
  const arrivals: Arrival[] = []
  for (const event of events.toSorted((a, b) => a.saidAt - b.saidAt || (a.id < b.id ? -1 : 1))) {
    const isRetracted = (yield* get(eventShares, event.id)) !== 'open'
    if (!isRetracted) arrivals.push(arrivalOf(event, (yield* get(speakers, event.conversation)) ?? []))
  }
  const judged = yield* findLinks(arrivals, parameters)
  yield* put(closedBatches, cause, judged === null ? events : 'woven')
  if (judged === null) return []
  const links = yield* weave(judged, parameters)
  yield* recordLinks(cause, links)
  return links
}

/** An undo reaches this stage through retracted facts, unless it names this derivation. */
function* undo({ id, utterances, derivation }: EvidenceRetracted, own: string): Effects<readonly Retraction[]> {
  if (derivation !== own) return []
  return yield* retractEvents(yield* undoSources(utterances), { correction: id, cause: 'undone' })
}
