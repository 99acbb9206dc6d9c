/**
 * The facts of a window are asked for ahead: the ask depends on its boxes and the lines before them, and on no earlier
 * answer.
 */
import { itemsOf } from '@loomlog/runtime/keyed-list'
import type { AsksWithCarry, LookAhead } from '@loomlog/runtime/processor'
import { get } from '@loomlog/runtime/step'
import { contextsAfter, contextsWithout, windowLines } from './box-lines.ts'
import { type Contexts, lastSpacePause, maxOpenBoxes, openBoxes, readContexts, type WindowBox } from './state.ts'
import type { Input, Parameters } from './step.ts'
import { extractFacts } from './tasks.ts'
import { boxesWithout, hasLines, spaceWindow, windowBox, windowEnd } from './window.ts'

/** The open window of the space, and the lines before it. Without a model nothing is asked ahead. */
interface Carry {
  readonly known: Contexts
  readonly boxes: readonly WindowBox[]
  readonly pausedSeq: number | null
}

export const lookAhead: LookAhead<Input, Parameters, Carry> = {
  *start() {
    const open = yield* itemsOf(openBoxes, spaceWindow, maxOpenBoxes)
    const boxes = open.map(([, box]) => box)
    return { known: yield* readContexts(), boxes, pausedSeq: yield* get(lastSpacePause, '') }
  },
  next(carry, event, parameters) {
    switch (event.type) {
      case 'BoxSealed': {
        const next = { ...carry, boxes: [...carry.boxes, windowBox(event)] }
        const isOpen = windowEnd({ window: spaceWindow, ...next }, parameters) === null
        return isOpen ? { carry: next, asks: [] } : closeWindow(next)
      }
      case 'SpacePaused': {
        const next = { ...carry, pausedSeq: Math.max(event.seq, carry.pausedSeq ?? event.seq) }
        return next.boxes.some(hasLines) ? closeWindow(next) : { carry: { ...next, boxes: [] }, asks: [] }
      }
      case 'MemoryCorrected':
        return { carry, asks: [] }
      case 'EvidenceRetracted':
        // The undo may be for another derivation, and a look-ahead doesn't know its own.
        return event.derivation === null ? { carry: withoutUtterances(event.utterances, carry), asks: [] } : null
      default:
        return { carry: withoutUtterances(event.utterances, carry), asks: [] }
    }
  },
}

function closeWindow(carry: Carry): AsksWithCarry<Carry> {
  const { known, boxes } = carry
  const after = { ...carry, known: contextsAfter(boxes, known), boxes: [] }
  return { carry: after, asks: [{ task: extractFacts, input: windowLines(boxes, known) }] }
}

function withoutUtterances(utterances: readonly string[], carry: Carry): Carry {
  const { known, boxes } = carry
  return { ...carry, known: contextsWithout(utterances, known), boxes: boxesWithout(utterances, boxes) }
}
