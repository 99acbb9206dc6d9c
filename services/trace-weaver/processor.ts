/** The processor of Trace Weaver: reads sealed boxes, writes events and their links. */

import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import { lookAhead } from './look-ahead.ts'
import { type Input, type Parameters, step, type TraceEvent } from './step.ts'
import { extractEvents, verifyLinks } from './tasks.ts'

export const traceWeaver: Processor<Input, TraceEvent, Parameters> = {
  stage: 'trace-weaver',
  reads: topicSpec('topic-shifts'),
  writes: topicSpec('event-links'),
  handles: ['BoxSealed', 'LinesRetracted', 'MemoryCorrected', 'EvidenceRetracted'],
  revision: 5,
  parameters: {
    maxEventsPerBox: 16,
    maxCandidates: 5,
    maxTracesPerEvent: 2,
    candidateScore: 0.1,
    linkScore: 0.42,
    meaningShare: 0.5,
    sameBoxScore: 0.25,
  },
  tasks: [extractEvents, verifyLinks],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'stage-embedder',
  // A matter can come up again in any conversation of the space, so the space is one lane.
  lane: () => '',
  retry: 'again',
  step,
  lookAhead,
}
