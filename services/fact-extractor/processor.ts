/** The fact extractor: reads sealed boxes and corrections, writes self-contained facts. */

import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { FactEvent } from './corrections.ts'
import { lookAhead } from './look-ahead.ts'
import { type Input, step } from './step.ts'
import { extractFacts } from './tasks.ts'

export const factExtractor: Processor<Input, FactEvent> = {
  stage: 'fact-extractor',
  reads: topicSpec('topic-shifts'),
  writes: topicSpec('facts'),
  handles: ['BoxSealed', 'LinesRetracted', 'MemoryCorrected', 'EvidenceRetracted'],
  revision: 6,
  parameters: {},
  tasks: [extractFacts],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'nothing',
  lane: (event) => event.conversation,
  retry: 'again',
  step,
  lookAhead,
}
