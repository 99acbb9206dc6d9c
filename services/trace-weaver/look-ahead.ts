/** The events of a box are asked for ahead: the ask depends on the box alone. Links depend on the strands before, so they wait for their turn. */
import type { LookAhead } from '@loomlog/runtime/processor'
import { boxText } from './event-drafts.ts'
import type { Input, Parameters } from './step.ts'
import { extractEvents } from './tasks.ts'

export const lookAhead: LookAhead<Input, Parameters, null> = {
  // biome-ignore lint/correctness/useYield: it needs no record
  *start() {
    return null
  },
  // biome-ignore lint/correctness/useYield: it needs no effect
  *next(_, event) {
    return { carry: null, asks: event.type === 'BoxSealed' ? [{ task: extractEvents, input: boxText(event) }] : [] }
  },
}
