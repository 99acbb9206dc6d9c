/** The facts of a box are asked for ahead: the ask depends on the box and the lines before it, and on no earlier answer. */
import type { LookAhead } from '@loomlog/runtime/processor'
import type { Parameters } from '@loomlog/runtime/step'
import { get } from '@loomlog/runtime/step'
import { boxLines, contextAfter, contextWithout, noContext } from './box-lines.ts'
import { type Context, context } from './state.ts'
import type { Input } from './step.ts'
import { extractFacts } from './tasks.ts'

export const lookAhead: LookAhead<Input, Parameters, Context> = {
  *start() {
    return (yield* get(context, '')) ?? noContext
  },
  // biome-ignore lint/correctness/useYield: it needs no effect
  *next(known, event) {
    switch (event.type) {
      case 'BoxSealed':
        return { carry: contextAfter(event, known), asks: [{ task: extractFacts, input: boxLines(event, known) }] }
      case 'MemoryCorrected':
        return { carry: known, asks: [] }
      case 'EvidenceRetracted':
        // It may be meant for another derivation.
        return event.derivation === null ? { carry: contextWithout(event.utterances, known), asks: [] } : null
      default:
        return { carry: contextWithout(event.utterances, known), asks: [] }
    }
  },
}
