/** The facts of a window are asked for ahead: the ask depends on its boxes and the lines before them, and on no earlier answer. */
import type { Ahead, LookAhead } from '@loomlog/runtime/processor'
import { range } from '@loomlog/runtime/step'
import { contextsAfter, contextsWithout, windowLines } from './box-lines.ts'
import { type Contexts, maxOpenBoxes, openBoxes, readContexts, type WindowBox } from './state.ts'
import type { Input, Parameters } from './step.ts'
import { extractFacts } from './tasks.ts'
import { boxesWithout, spaceWindow, windowBox, windowEnd } from './window.ts'

/** The open window of the space, and the lines before it. Without a model nothing is asked ahead. */
interface Carry {
  readonly known: Contexts
  readonly boxes: readonly WindowBox[]
}

export const lookAhead: LookAhead<Input, Parameters, Carry> = {
  *start() {
    const open = yield* range(openBoxes, spaceWindow, maxOpenBoxes)
    return { known: yield* readContexts(), boxes: open.map(([, box]) => box) }
  },
  next(carry, event, parameters) {
    switch (event.type) {
      case 'BoxSealed': {
        const boxes = [...carry.boxes, windowBox(event)]
        const isOpen = windowEnd(spaceWindow, boxes, parameters) === null
        return isOpen ? { carry: { ...carry, boxes }, asks: [] } : closed({ ...carry, boxes })
      }
      case 'SpacePaused':
        return carry.boxes.length === 0 ? { carry, asks: [] } : closed(carry)
      case 'MemoryCorrected':
        return { carry, asks: [] }
      case 'EvidenceRetracted':
        // It may be meant for another derivation.
        return event.derivation === null ? { carry: without(event.utterances, carry), asks: [] } : null
      default:
        return { carry: without(event.utterances, carry), asks: [] }
    }
  },
}

function closed({ known, boxes }: Carry): Ahead<Carry> {
  const carry = { known: contextsAfter(boxes, known), boxes: [] }
  return { carry, asks: [{ task: extractFacts, input: windowLines(boxes, known) }] }
}

function without(utterances: readonly string[], { known, boxes }: Carry): Carry {
  return { known: contextsWithout(utterances, known), boxes: boxesWithout(utterances, boxes) }
}
