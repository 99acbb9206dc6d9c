/** The consolidator: reads facts, writes topic documents and profiles, entry by entry, a batch at a time. */

import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { ConsolidatorEvent } from './changes.ts'
import { type Input, type Parameters, step } from './step.ts'
import { consolidateBatch } from './tasks.ts'

export const consolidator: Processor<Input, ConsolidatorEvent, Parameters> = {
  stage: 'consolidator',
  reads: topicSpec('facts'),
  writes: topicSpec('consolidations'),
  handles: ['FactRecorded', 'FactRetracted', 'CorrectionApplied', 'WindowExtracted', 'EvidenceRetracted'],
  revision: 16,
  parameters: {
    maxEntries: 40,
    maxProfileEntries: 120,
    placeScore: 0.3,
    subjectWeight: 0.4,
    boxWeight: 0.5,
    sameShare: 0.85,
    minBatchFacts: 48,
    maxBatchFacts: 80,
    maxBatchTokens: 3_200,
    leastAtPause: 1,
    shownTokensPerFact: 16,
  },
  counts: {
    maxEntries: [1, 1_000],
    maxProfileEntries: [1, 1_000],
    minBatchFacts: [1, 512],
    maxBatchFacts: [1, 512],
    maxBatchTokens: [1, 32_000],
    leastAtPause: [1, 512],
    shownTokensPerFact: [1, 200],
  },
  tasks: [consolidateBatch],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'nothing',
  // A document takes facts from all conversations, in the space's order.
  lane: () => '',
  // Rules consolidate a batch without an answer, and later facts are placed beside its facts, so only another
  // derivation can move them.
  retry: 'never',
  step,
}
