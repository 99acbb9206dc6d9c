/**
 * The two stages of a simulated pipeline. Their outputs count the earlier events of their lane, so that the checks
 * detect an event that is processed twice.
 */
import type { Processor } from '@loomlog/runtime/processor'
import { get, keyedRecord, put } from '@loomlog/runtime/step'
import { extractor, fact, judgingStep, loom } from '../../packages/runtime/toy-processors.ts'

const factsSoFar = keyedRecord<number>('facts-so-far')

export const secondFact = 'and another'

/** A box for every utterance, in the lane of its conversation: `conversation#count: label`. */
export const boxes: Processor = loom(judgingStep)

/** Two facts for every box, in the lane of its space: `count: topic`, and another. */
export const facts: Processor = extractor(
  function* (event) {
    const before = (yield* get(factsSoFar, '')) ?? 0
    yield* put(factsSoFar, '', before + 1)
    return [fact(event, `${before}: ${event.topic}`), fact(event, secondFact)]
  },
  { lane: () => '' },
)
