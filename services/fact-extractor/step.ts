/**
 * Fact extraction (TriMem): turns every window of boxes into self-contained facts with their sources. A box waits in
 * the open window until the window ends; corrections and undo events take effect at once.
 */

import { append, itemsOf, takeAll } from '@loomlog/runtime/keyed-list'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { get, isAskedOfModel, put, type Step } from '@loomlog/runtime/step'
import type {
  BoxSealed,
  Draft,
  EvidenceRetracted,
  LinesRetracted,
  MemoryCorrected,
  SpacePaused,
} from '@loomlog/schemas/events'
import { correct, type FactEvent } from './corrections.ts'
import { extract, extractAgain } from './extraction.ts'
import { windowExtracted } from './fact-drafts.ts'
import { lastSpacePause, maxOpenBoxes, openBoxes, unanswered } from './state.ts'
import { extractFacts } from './tasks.ts'
import { undo } from './undo.ts'
import { hasLines, spaceWindow, type WindowParameters, windowBox, windowEnd, windowOf } from './window.ts'

export type Parameters = WindowParameters

export type Input = BoxSealed | LinesRetracted | SpacePaused | MemoryCorrected | EvidenceRetracted

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<FactEvent>> {
  const waiting = yield* get(unanswered, event.id)
  if (waiting !== null) return yield* extractAgain(event.id, waiting)
  switch (event.type) {
    case 'BoxSealed':
      return yield* accept(event, parameters)
    case 'SpacePaused':
      return yield* pause(event)
    case 'MemoryCorrected':
      return yield* correct(event)
    default:
      return yield* undo(event, derivation)
  }
}

/** Adds the box to its open window, and reads the window if it ends. */
function* accept(box: SequencedEvent<BoxSealed>, parameters: Parameters): Step<Draft<FactEvent>> {
  const window = yield* windowOf(box)
  const open = yield* itemsOf(openBoxes, window, maxOpenBoxes)
  const boxes = [...open.map(([, each]) => each), windowBox(box)]
  const closedBy = windowEnd({ window, boxes, pausedSeq: yield* get(lastSpacePause, '') }, parameters)
  if (closedBy === null) {
    yield* append(openBoxes, { list: window, place: open.length }, windowBox(box))
    return []
  }
  for (const [key] of open) yield* put(openBoxes, key, null)
  return yield* extract(box.id, boxes, closedBy)
}

/** Reads the open window of the space. Later stages learn of the pause also if no box waits. */
function* pause({ id, seq }: SequencedEvent<SpacePaused>): Step<Draft<FactEvent>> {
  if (!(yield* isAskedOfModel(extractFacts))) return []
  yield* put(lastSpacePause, '', Math.max(seq, (yield* get(lastSpacePause, '')) ?? seq))
  const boxes = yield* takeAll(openBoxes, spaceWindow, maxOpenBoxes)
  return boxes.some(hasLines) ? yield* extract(id, boxes, 'pause') : [windowExtracted([], 'pause', [])]
}
