/**
 * A processor with one ask for every utterance, issued before its turn (look-ahead), and a box from the answer. So its
 * time is the model's and the runtime's.
 */
import type { Processor, SequencedEvent } from '@loomlog/runtime/processor'
import { ask, type Step, type Task } from '@loomlog/runtime/step'
import type { BoxSealed, Draft, UtteranceAppended } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'

type Judgement = { readonly topic: string }

const judge: Task<{ readonly text: string }, Judgement> = {
  name: 'judge',
  prompt: 'judge.v1',
  schema: {
    type: 'object',
    properties: { topic: { type: 'string' } },
    required: ['topic'],
    additionalProperties: false,
  },
  local() {
    throw new Error('this task is for a model')
  },
}

function* judgeStep(event: SequencedEvent<UtteranceAppended>): Step<Draft<BoxSealed>> {
  const answer = yield* ask(judge, { text: event.text })
  const { id, seq, speaker, role, at, text, attachments, conversation } = event
  return [
    {
      type: 'BoxSealed',
      conversation,
      utterances: [{ id, seq, speaker, role, at, text, attachments }],
      cut: 'size',
      topic: answer.value?.topic ?? 'none',
      keywords: [],
      startedAt: at,
      endedAt: at,
      origin: { causes: [], completions: answer.completions, method: 'asked' },
    },
  ]
}

const typed: Processor<UtteranceAppended, BoxSealed> = {
  stage: 'asking',
  reads: topicSpec('utterances'),
  writes: topicSpec('topic-shifts'),
  handles: ['UtteranceAppended'],
  revision: 1,
  parameters: {},
  tasks: [judge],
  prompts: new URL('file:///nowhere/'),
  embeds: 'nothing',
  lane: (event) => event.conversation,
  retry: 'never',
  step: judgeStep,
  lookAhead: {
    // biome-ignore lint/correctness/useYield: it needs no record
    *start() {
      return null
    },
    next(_, { text }) {
      return { carry: null, asks: [{ task: judge, input: { text } }] }
    },
  },
}

export const judgeProcessor = typed as Processor
export const prompts = new Map([[judge.name, 'What is this about?']])
