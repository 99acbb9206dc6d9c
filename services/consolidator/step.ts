/**
 * The consolidator (Infini Memory; profiles from TriMem): facts wait in an open batch until a window ends it. Then each becomes an entry of one
 * topic document, and, if it is a lasting statement about a person, of that person's profile. A person's correction and a retraction take
 * effect at once, also on waiting facts.
 *
 * Every consolidated fact is in the `facts` of an entry. An agent's fact never enters a person's profile, and never ends a person's entry. A person's
 * correction replaces the fact that it corrects, and ranks above derived facts.
 */

import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Effects, get, put, type Step } from '@loomlog/runtime/step'
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
import { endLateFacts, recordCorrection } from './dated-corrections.ts'
import { describeChanged } from './descriptions.ts'
import { retractFact } from './retraction.ts'
import { type Fact, factsByUtterance, maxSources, placedFacts } from './state.ts'

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
    case 'WindowExtracted': {
      const closedBy = yield* batchEnd(event, parameters)
      if (closedBy !== null) yield* consolidate(changes, closedBy, parameters)
      return changes.drafts
    }
    case 'FactRetracted':
      yield* retractFact(changes, event.fact)
      break
    case 'CorrectionApplied':
      yield* endLateFacts(changes, event, parameters)
      break
    case 'EvidenceRetracted':
      // An undo reaches this stage through retracted facts, unless it names this derivation.
      if (event.derivation === derivation) yield* undo(changes, event)
  }
  yield* describeChanged(changes)
  return changes.drafts
}

/** A correction is recorded at once, by rules; any other fact waits for the end of its batch. */
function* accept(changes: Changes, event: FactRecorded, parameters: Parameters): Effects<void> {
  if ((yield* get(placedFacts, event.id)) !== null) return
  const fact = factOf(event)
  if (!(yield* noteSources(fact))) return
  if (fact.correction === null) yield* addToBatch(fact)
  else yield* recordCorrection(changes, fact, parameters)
}

/** Records the fact under its sources. False if one of them is undone in this derivation. A fact that a correction states holds regardless of undo events. */
function* noteSources({ id, sources, correction }: Fact): Effects<boolean> {
  if (correction !== null) return true
  for (const source of sources) {
    const known = (yield* get(factsByUtterance, source)) ?? []
    if (known === 'undone') return false
    if (!known.includes(id)) yield* put(factsByUtterance, source, [...known, id].slice(-maxSources))
  }
  return true
}

function factOf(event: FactRecorded): Fact {
  const { id, box, text, kind, subject, relation, object, speaker, role, saidAt, when, until, isChange, correction } =
    event
  const { persons, entities, keywords, sources } = event
  const words = { text, kind, subject, relation, object, persons, entities, keywords }
  return { id, box, ...words, speaker, role, saidAt, when, until, isChange, sources, correction }
}

function* undo(changes: Changes, { utterances }: EvidenceRetracted): Effects<void> {
  const facts = new Set<string>()
  for (const utterance of utterances) {
    const known = (yield* get(factsByUtterance, utterance)) ?? []
    for (const fact of known === 'undone' ? [] : known) facts.add(fact)
    yield* put(factsByUtterance, utterance, 'undone')
  }
  for (const fact of facts) yield* retractFact(changes, fact)
}
