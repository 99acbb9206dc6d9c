/**
 * A processor without work of its own: it makes one box of every utterance, without asks and state. So its time is
 * loomlog's overhead.
 */

import type { Processor, SequencedEvent } from '@loomlog/runtime/processor'
import type { Step } from '@loomlog/runtime/step'
import type { BoxSealed, Draft, UtteranceAppended } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'

// biome-ignore lint/correctness/useYield: it needs no effect
export function* nullStep(event: SequencedEvent<UtteranceAppended>): Step<Draft<BoxSealed>> {
  const { id, seq, speaker, role, at, text, attachments, conversation } = event
  return [
    {
      type: 'BoxSealed',
      conversation,
      utterances: [{ id, seq, speaker, role, at, text, attachments }],
      cut: 'size',
      topic: conversation,
      keywords: [],
      startedAt: at,
      endedAt: at,
      origin: { causes: [], completions: [], method: 'rules' },
    },
  ]
}

const typed: Processor<UtteranceAppended, BoxSealed> = {
  stage: 'null-processor',
  reads: topicSpec('utterances'),
  writes: topicSpec('topic-shifts'),
  handles: ['UtteranceAppended'],
  revision: 1,
  parameters: {},
  tasks: [],
  prompts: new URL('file:///nowhere/'),
  embeds: 'nothing',
  lane: (event) => event.conversation,
  retry: 'never',
  step: nullStep,
}

export const nullProcessor = typed as Processor
