/** The processor of promises: reads sealed boxes, writes the promises in them. */
import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import { topic } from './events.ts'
import { type Input, type PromiseEvent, step } from './step.ts'
import { findPromises } from './tasks.ts'

export const promises: Processor<Input, PromiseEvent> = {
  stage: 'promises',
  reads: topicSpec('topic-shifts'),
  writes: topic,
  handles: ['BoxSealed', 'LinesRetracted', 'EvidenceRetracted'],
  revision: 1,
  parameters: {},
  tasks: [findPromises],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'nothing',
  lane: (event) => event.conversation,
  retry: 'again',
  step,
}
