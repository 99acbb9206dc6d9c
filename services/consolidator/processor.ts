/** The consolidator: reads facts, writes topic documents and profiles, entry by entry. */

import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { ConsolidatorEvent } from './changes.ts'
import { type Input, type Parameters, step } from './step.ts'
import { describeDocument, placeFact, reconcileEntry } from './tasks.ts'

export const consolidator: Processor<Input, ConsolidatorEvent, Parameters> = {
  stage: 'consolidator',
  reads: topicSpec('facts'),
  writes: topicSpec('consolidations'),
  handles: ['FactRecorded', 'FactRetracted', 'EvidenceRetracted'],
  revision: 4,
  parameters: {
    maxEntries: 40,
    maxProfileEntries: 120,
    placeScore: 0.3,
    subjectWeight: 0.4,
    boxWeight: 0.5,
    sameShare: 0.85,
    describeEvery: 1,
  },
  tasks: [reconcileEntry, placeFact, describeDocument],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'nothing',
  // A document takes facts from all conversations, in the space's order.
  lane: () => '',
  // Rules place a fact without an answer, and later facts are placed beside it, so only another derivation can move it.
  retry: 'never',
  step,
}
