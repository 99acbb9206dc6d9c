/** Fact extractor: sealed boxes in, self-contained facts out. */

import type { Processor } from '@loomlog/runtime/processor'
import type { BoxSealed, FactRecorded } from '@loomlog/schemas/events'
import { step } from './step.ts'
import { extractFacts } from './tasks.ts'

export const factExtractor: Processor<BoxSealed, FactRecorded> = {
  stage: 'fact-extractor',
  reads: 'topic-shifts',
  writes: 'facts',
  handles: ['BoxSealed'],
  revision: 1,
  parameters: {},
  tasks: [extractFacts],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'nothing',
  lane: (box) => box.conversation,
  retry: 'again',
  step,
}
