/**
 * Fact extraction (TriMem): turns every window of boxes into self-contained facts with their sources. A box waits in
 * the open window until the window ends; corrections and undo events take effect at once.
 */

import type { SequencedEvent } from '@loomlog/runtime/processor'
import { get, isAskedOfModel, put, range, type Step } from '@loomlog/runtime/step'
import type {
  BoxSealed,
  Draft,
  EvidenceRetracted,
  LinesRetracted,
  MemoryCorrected,
  SpacePaused,
} from '@loomlog/schemas/events'
import { correct, type FactEvent, undo } from './corrections.ts'
import { extract, extractAgain } from './extraction.ts'
import { windowExtracted } from './fact-drafts.ts'
import { lastSpacePause, maxOpenBoxes, openBoxes, unanswered } from './state.ts'
import { extractFacts } from './tasks.ts'
import { hasLines, spaceWindow, type WindowParameters, windowBox, windowEnd, windowOf } from './window.ts'

export type Parameters = WindowParameters

export type Input = BoxSealed | LinesRetracted | SpacePaused | MemoryCorrected | EvidenceRetracted

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<FactEvent>> {
  if (event.type === 'MemoryCorrected') return yield* correct(event)
  if (event.type !== 'BoxSealed' && event.type !== 'SpacePaused') return yield* undo(event, derivation)
  const waiting = yield* get(unanswered, event.id)
  if (waiting !== null) return yield* extractAgain(event.id, waiting)
  return event.type === 'BoxSealed' ? yield* accept(event, parameters) : yield* pause(event)
}

/** Adds the box to its open window, and reads the window if it ends. */
function* accept(box: SequencedEvent<BoxSealed>, parameters: Parameters): Step<Draft<FactEvent>> {
  const window = yield* windowOf(box)
  const open = yield* range(openBoxes, window, maxOpenBoxes)
  const boxes = [...open.map(([, each]) => each), windowBox(box)]
  const closedBy = windowEnd({ window, boxes, pausedSeq: yield* get(lastSpacePause, '') }, parameters)
  if (closedBy === null) {
    yield* put(openBoxes, `${window}${String(open.length).padStart(4, '0')}`, windowBox(box))
    return []
  }
  for (const [key] of open) yield* put(openBoxes, key, null)
  return yield* extract(box.id, boxes, closedBy)
}

/** Reads the open window of the space. Later stages learn of the pause also if no box waits. */
function* pause({ id, seq }: SequencedEvent<SpacePaused>): Step<Draft<FactEvent>> {
  if (!(yield* isAskedOfModel(extractFacts))) return []
  yield* put(lastSpacePause, '', Math.max(seq, (yield* get(lastSpacePause, '')) ?? seq))
  const open = yield* range(openBoxes, spaceWindow, maxOpenBoxes)
  for (const [key] of open) yield* put(openBoxes, key, null)
  const boxes = open.map(([, box]) => box)
  return boxes.some(hasLines) ? yield* extract(id, boxes, 'pause') : [windowExtracted([], 'pause', [])]
}
