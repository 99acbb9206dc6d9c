/** The processor of Topic Loom: reads utterances, writes sealed boxes. */

import type { Processor } from '@loomlog/runtime/processor'
import type { BoxSealed, LinesRetracted } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { Parameters } from './parameters.ts'
import { type Input, step } from './step.ts'
import { findShifts } from './tasks.ts'

export const topicLoom: Processor<Input, BoxSealed | LinesRetracted, Parameters> = {
  stage: 'topic-loom',
  reads: topicSpec('utterances'),
  writes: topicSpec('topic-shifts'),
  handles: ['UtteranceAppended', 'ConversationPaused', 'EvidenceRetracted'],
  revision: 8,
  parameters: {
    gapMs: 4 * 60 * 60 * 1000,
    maxUtterances: 16,
    maxTokens: 1_500,
    shiftScore: 0.3,
    askAbove: 0.2,
    askBelow: 0.55,
    leastAsked: 3,
    minBlockUtterances: 32,
    maxBlockUtterances: 64,
    maxWaitingTokens: 12_000,
  },
  counts: {
    maxUtterances: [1, 512],
    maxTokens: [1, 32_000],
    leastAsked: [1, 512],
    minBlockUtterances: [1, 512],
    maxBlockUtterances: [1, 512],
    maxWaitingTokens: [1, 32_000],
  },
  tasks: [findShifts],
  // The facts' ask names the boxes, and a boundary by rules costs nothing (decision 26).
  model: 'if-named',
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'stage-embedder',
  lane: (event) => event.conversation,
  // Every later box depends on a boundary, so only another derivation can move it.
  retry: 'never',
  step,
}
