/** The processor of Trace Weaver: reads facts, and writes links between those that are events. */

import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import { type Input, type Parameters, step, type TraceEvent } from './step.ts'
import { verifyLinks } from './tasks.ts'

export const traceWeaver: Processor<Input, TraceEvent, Parameters> = {
  stage: 'trace-weaver',
  reads: topicSpec('facts'),
  writes: topicSpec('event-links'),
  handles: ['FactRecorded', 'FactRetracted', 'WindowExtracted', 'EvidenceRetracted'],
  revision: 12,
  parameters: {
    minBatchEvents: 40,
    maxBatchEvents: 64,
    maxCandidates: 5,
    maxRelated: 1,
    maxTracesPerEvent: 2,
    candidateScore: 0.1,
    linkScore: 0.42,
    askAbove: 0.25,
    askBelow: 0.7,
    meaningShare: 0.5,
    relatedMeaning: 0.4,
    sameBoxScore: 0.5,
  },
  counts: {
    minBatchEvents: [1, 512],
    maxBatchEvents: [1, 512],
    maxCandidates: [1, 64],
    maxRelated: [0, 64],
    maxTracesPerEvent: [1, 64],
  },
  tasks: [verifyLinks],
  prompts: new URL('./prompts/', import.meta.url),
  embeds: 'stage-embedder',
  // A matter can come up again in any conversation of the space, so the space is one lane.
  lane: () => '',
  retry: 'again',
  step,
}
