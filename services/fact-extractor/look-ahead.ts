/** The facts of a window are asked for ahead: the ask depends on its boxes and the lines before them, and on no earlier answer. */
import type { LookAhead } from '@loomlog/runtime/processor'
import { get, range } from '@loomlog/runtime/step'
import { boxLines, contextAfter, contextWithout, noContext } from './box-lines.ts'
import { type Context, context, maxOpenBoxes, openBoxes, type WindowBox } from './state.ts'
import type { Input, Parameters } from './step.ts'
import { extractFacts } from './tasks.ts'
import { boxesWithout, endsWindow, windowBox } from './window.ts'

/** The open window, and the lines before it. */
interface Carry {
  readonly known: Context
  readonly boxes: readonly WindowBox[]
}

export const lookAhead: LookAhead<Input, Parameters, Carry> = {
  *start() {
    const open = yield* range(openBoxes, '', maxOpenBoxes)
    return { known: (yield* get(context, '')) ?? noContext, boxes: open.map(([, box]) => box) }
  },
  next({ known, boxes }, event, parameters) {
    switch (event.type) {
      case 'BoxSealed': {
        const all = [...boxes, windowBox(event)]
        if (!endsWindow(all, parameters)) return { carry: { known, boxes: all }, asks: [] }
        const carry = { known: contextAfter(all, known), boxes: [] }
        return { carry, asks: [{ task: extractFacts, input: boxLines(all, known) }] }
      }
      case 'MemoryCorrected':
        return { carry: { known, boxes }, asks: [] }
      case 'EvidenceRetracted':
        // It may be meant for another derivation.
        return event.derivation === null ? { carry: without(event.utterances, { known, boxes }), asks: [] } : null
      default:
        return { carry: without(event.utterances, { known, boxes }), asks: [] }
    }
  },
}

function without(utterances: readonly string[], { known, boxes }: Carry): Carry {
  return { known: contextWithout(utterances, known), boxes: boxesWithout(utterances, boxes) }
}
