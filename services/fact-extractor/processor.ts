/** The fact extractor: reads windows of sealed boxes and corrections, writes self-contained facts. */

import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { FactEvent } from './corrections.ts'
import { lookAhead } from './look-ahead.ts'
import { type Input, type Parameters, step } from './step.ts'
import { extractFacts } from './tasks.ts'

export const factExtractor: Processor<Input, FactEvent, Parameters> = {
  stage: 'fact-extractor',
  reads: topicSpec('topic-shifts'),
  writes: topicSpec('facts'),
  handles: ['BoxSealed', 'LinesRetracted', 'SpacePaused', 'MemoryCorrected', 'EvidenceRetracted'],
  revision: 25,
  parameters: { leastAtPause: 36, minWindowUtterances: 42, maxWindowUtterances: 56, maxWindowTokens: 3_200 },
  counts: {
    leastAtPause: [1, 512],
    minWindowUtterances: [1, 512],
    maxWindowUtterances: [1, 512],
    maxWindowTokens: [1, 32_000],
  },
  tasks: [extractFacts],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'nothing',
  // A window takes boxes of all conversations, in the space's order.
  lane: () => '',
  retry: 'again',
  step,
  lookAhead,
}
