/** The processor of Topic Loom: reads utterances, writes sealed boxes. */

import type { Processor } from '@loomlog/runtime/processor'
import type { BoxSealed, LinesRetracted } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'
import { type Input, type Parameters, step } from './step.ts'
import { classifyShift, describeBox } from './tasks.ts'

export const topicLoom: Processor<Input, BoxSealed | LinesRetracted, Parameters> = {
  stage: 'topic-loom',
  reads: topicSpec('utterances'),
  writes: topicSpec('topic-shifts'),
  handles: ['UtteranceAppended', 'ConversationPaused', 'EvidenceRetracted'],
  revision: 2,
  parameters: {
    gapMs: 4 * 60 * 60 * 1000,
    maxUtterances: 16,
    maxTokens: 1_500,
    minUtterancesOnPartial: 2,
    shiftScore: 0.5,
    partialScore: 0.25,
  },
  tasks: [classifyShift, describeBox],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'stage-embedder',
  lane: (event) => event.conversation,
  // Every later box depends on a boundary, so only another derivation can move it.
  retry: 'never',
  step,
}
