/**
 * The consolidator (Infini Memory; profiles from TriMem): facts wait in an open batch until a window ends it. Then each
 * becomes an entry of one topic document, and, if it is a lasting statement about a person, of that person's profile. A
 * person's correction and a retraction take effect at once, also on waiting facts.
 *
 * Every consolidated fact is in the `facts` of an entry. An agent's fact never enters a person's profile, and never
 * ends a person's entry. A person's correction replaces the fact that it corrects, and ranks above derived facts.
 */

import { cite, undoSources } from '@loomlog/runtime/citations'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Effects, get, type Step } from '@loomlog/runtime/step'
import type {
  CorrectionApplied,
  Draft,
  EvidenceRetracted,
  FactRecorded,
  FactRetracted,
  WindowExtracted,
} from '@loomlog/schemas/events'
import { addToBatch, type BatchParameters, batchEnd } from './batch.ts'
import { type Changes, type ConsolidatorEvent, emptyChanges } from './changes.ts'
import { type ConsolidationParameters, consolidate } from './consolidation.ts'
import { describeChanged } from './documents/descriptions.ts'
import { endLateFacts, recordCorrection } from './record/dated-corrections.ts'
import { retractFact } from './record/retraction.ts'
import { type Fact, placedFacts } from './state.ts'

export type Parameters = ConsolidationParameters & BatchParameters

export type Input = FactRecorded | FactRetracted | CorrectionApplied | WindowExtracted | EvidenceRetracted

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<ConsolidatorEvent>> {
  const changes = emptyChanges(event.id)
  switch (event.type) {
    case 'FactRecorded':
      yield* accept(changes, event, parameters)
      break
    case 'WindowExtracted':
      // Describes the documents itself, since the event that measures the batch is its last output.
      yield* closeBatch(changes, event, parameters)
      return changes.drafts
    case 'FactRetracted':
      yield* retractFact(changes, event.fact)
      break
    case 'CorrectionApplied':
      yield* endLateFacts(changes, event, parameters)
      break
    default:
      yield* undo(changes, event, derivation)
  }
  yield* describeChanged(changes)
  return changes.drafts
}

/**
 * A correction is recorded at once, by rules, and regardless of undo events; any other fact waits for the end of its
 * batch.
 */
function* accept(changes: Changes, event: FactRecorded, parameters: Parameters): Effects<void> {
  if ((yield* get(placedFacts, event.id)) !== null) return
  const fact = factOf(event)
  if (fact.correction !== null) yield* recordCorrection(changes, fact, parameters)
  else if (yield* cite(fact.id, fact.sources)) yield* addToBatch(fact)
}

function factOf(event: FactRecorded): Fact {
  const { id, box, text, kind, subject, relation, object, speaker, role, saidAt, when, until, isChange, correction } =
    event
  const { persons, entities, keywords, sources } = event
  const words = { text, kind, subject, relation, object, persons, entities, keywords }
  return { id, box, ...words, speaker, role, saidAt, when, until, isChange, sources, correction }
}

function* closeBatch(changes: Changes, window: WindowExtracted, parameters: Parameters): Effects<void> {
  const closedBy = yield* batchEnd(window, parameters)
  if (closedBy !== null) yield* consolidate(changes, closedBy, parameters)
}

/** An undo reaches this stage through retracted facts, unless it names this derivation. */
function* undo(changes: Changes, { utterances, derivation }: EvidenceRetracted, own: string): Effects<void> {
  if (derivation !== own) return
  for (const fact of yield* undoSources(utterances)) yield* retractFact(changes, fact)
}
