/**
 * Toy processors for the runtime's tests: events, processors whose outputs show the history of their lane, and models
 * that a test controls.
 */
import type {
  BoxSealed,
  ConversationPaused,
  Draft,
  FactRecorded,
  SubjectForgotten,
  UtteranceAppended,
} from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { Model, ModelReply } from './answers.ts'
import type { LookAhead, Processor, SequencedEvent } from './processor.ts'
import type { Parameters, Task } from './step.ts'
import { ask, get, keyedRecord, put, type Step } from './step.ts'

export function utterance(id: string, rest: Partial<UtteranceAppended> = {}): UtteranceAppended {
  return {
    type: 'UtteranceAppended',
    id,
    tenant: 't',
    space: 's',
    conversation: 'c',
    speaker: 'Ada',
    role: 'human',
    at: 1_000,
    appendedAt: 2_000,
    text: `text of ${id}`,
    attachments: [],
    metadata: {},
    isTimeGiven: true,
    canInstruct: true,
    keyId: null,
    principal: null,
    ...rest,
  }
}

export function pause(id: string, rest: Partial<ConversationPaused> = {}): ConversationPaused {
  const place = { tenant: 't', space: 's', conversation: 'c', afterUtterance: '-' }
  return { type: 'ConversationPaused', id, ...place, at: 1_000, appendedAt: 2_000, ...rest }
}

/** The record after which everything before it in its space is void. */
export function forgotten(forgetting: string, rest: Partial<SubjectForgotten> = {}): SubjectForgotten {
  const place = { tenant: 't', space: 's', seq: null, subject: '' }
  const origin = { by: 'Ines', principal: null, keyId: null, at: 1_000, appendedAt: 2_000 }
  return { type: 'SubjectForgotten', id: forgetting, forgetting, kept: 0, ...place, ...origin, ...rest }
}

export type Judgement = { readonly label: string }

export const judge: Task<{ readonly text: string }, Judgement> = {
  name: 'judge',
  prompt: 'judge.v1',
  schema: {
    type: 'object',
    properties: { label: { type: 'string' } },
    required: ['label'],
    additionalProperties: false,
  },
  // biome-ignore lint/correctness/useYield: rules need not ask
  *local() {
    return { label: 'by rules' }
  },
}

type ToyInput = UtteranceAppended | ConversationPaused
type ToyStep = (event: SequencedEvent<ToyInput>) => Step<Draft<BoxSealed>>

const seenSoFar = keyedRecord<number>('seen-so-far')

/** Asks. The box's topic shows the answer and how many events its lane had before, so an event handled twice shows. */
export function* judgingStep(event: SequencedEvent<ToyInput>): Step<Draft<BoxSealed>> {
  if (event.type !== 'UtteranceAppended') return []
  const answer = yield* ask(judge, { text: event.text })
  const before = (yield* get(seenSoFar, '')) ?? 0
  yield* put(seenSoFar, '', before + 1)
  return [box(event, `${event.conversation}#${before}: ${answer.value?.label ?? 'none'}`, answer.completions)]
}

/** Like `judgingStep`, without an ask. */
export function* countingStep(event: SequencedEvent<ToyInput>): Step<Draft<BoxSealed>> {
  if (event.type !== 'UtteranceAppended') return []
  const before = (yield* get(seenSoFar, '')) ?? 0
  yield* put(seenSoFar, '', before + 1)
  return [box(event, `${event.conversation}#${before}`)]
}

const lastText = keyedRecord<string>('last-text')

/** Asks about the lane's last two texts, so that its asks depend on the lane's input and on no answer. */
export function* pairStep(event: SequencedEvent<ToyInput>): Step<Draft<BoxSealed>> {
  const last = (yield* get(lastText, '')) ?? ''
  if (event.type !== 'UtteranceAppended') {
    yield* put(lastText, '', '')
    return []
  }
  const answer = yield* ask(judge, { text: `${last}|${event.text}` })
  yield* put(lastText, '', event.text)
  const before = (yield* get(seenSoFar, '')) ?? 0
  yield* put(seenSoFar, '', before + 1)
  return [box(event, `${event.conversation}#${before}: ${answer.value?.label ?? 'none'}`, answer.completions)]
}

/** The look-ahead of `pairStep`. */
export const pairLookAhead: LookAhead<ToyInput, Parameters, string> = {
  *start() {
    return (yield* get(lastText, '')) ?? ''
  },
  next(last, event) {
    if (event.type !== 'UtteranceAppended') return { carry: '', asks: [] }
    return { carry: event.text, asks: [{ task: judge, input: { text: `${last}|${event.text}` } }] }
  },
}

const usual = {
  revision: 1,
  parameters: {},
  tasks: [judge],
  prompts: new URL('file:///nowhere/'),
  embeds: 'nothing',
  lane: (event: { readonly conversation: string }) => event.conversation,
  retry: 'again',
} as const

export function loom(step: ToyStep, rest: Partial<Processor> = {}): Processor {
  const toy: Processor<ToyInput, BoxSealed> = {
    stage: 'topic-loom',
    reads: topicSpec('utterances'),
    writes: topicSpec('topic-shifts'),
    handles: ['UtteranceAppended', 'ConversationPaused'],
    ...usual,
    step,
  }
  return { ...(toy as Processor), ...rest }
}

/** The stage after it: a fact for every box. */
export function extractor(
  step: (event: SequencedEvent<BoxSealed>) => Step<Draft<FactRecorded>>,
  rest: Partial<Processor> = {},
): Processor {
  const toy: Processor<BoxSealed, FactRecorded> = {
    stage: 'fact-extractor',
    reads: topicSpec('topic-shifts'),
    writes: topicSpec('facts'),
    handles: ['BoxSealed'],
    ...usual,
    step,
  }
  return { ...(toy as Processor), ...rest }
}

/** A step that needs no effect. */
export function pureStep<E, D>(make: (event: E) => readonly D[]): (event: E) => Step<D> {
  // biome-ignore lint/correctness/useYield: that is its point
  return function* (event) {
    return make(event)
  }
}

/** A fact for every box, without asking. */
export const factOfEach: Processor = extractor(pureStep((event) => [fact(event, event.topic)]))

export function box(
  event: UtteranceAppended & { readonly seq: number },
  topic: string,
  completions: readonly string[] = [],
) {
  const { id, seq, speaker, role, at, text, attachments, conversation } = event
  const origin = { causes: [], completions, method: completions.length > 0 ? 'toy' : 'rules' }
  const utterances = [{ id, seq, speaker, role, at, text, attachments }]
  const times = { startedAt: at, endedAt: at }
  return { type: 'BoxSealed', conversation, utterances, cut: 'size', topic, keywords: [], ...times, origin } as const
}

export function fact(event: BoxSealed, text: string): Draft<FactRecorded> {
  const said = { speaker: 'Ada', role: 'human', saidAt: 1, when: null, location: null } as const
  const unsaid = { until: null, isChange: false, isInstruction: false }
  const parts = {
    kind: 'state',
    subject: 'a',
    relation: 'b',
    object: 'c',
    persons: [],
    entities: [],
    keywords: [],
    inferred: [],
    correction: null,
  } as const
  const place = { box: event.id, conversation: event.conversation, sources: ['u'] }
  return {
    type: 'FactRecorded',
    text,
    ...said,
    ...unsaid,
    ...parts,
    ...place,
    origin: { causes: [], completions: [], method: 'rules' },
  }
}

export function modelReply(value: Json): ModelReply {
  return { kind: 'answer', value, attempts: 1, inputTokens: 1, outputTokens: 1 }
}

export const noAnswer: ModelReply = {
  ...modelReply(null),
  kind: 'none',
  reason: 'it made no sense',
  value: null,
}

/** A model that answers as the test says, and records the asks. */
export function toyModel(answer: (text: string, signal: AbortSignal) => ModelReply | Promise<ModelReply>) {
  const asked: string[] = []
  const model: Model = {
    name: 'toy',
    parameters: {},
    async answer({ input, signal }) {
      const { text } = input as { readonly text: string }
      asked.push(text)
      return answer(text, signal)
    },
  }
  return { model, asked }
}

/** A model whose answers wait until the test lets them go, text by text. */
export function heldModel() {
  const waiting = new Map<string, (completion: ModelReply) => void>()
  const held = toyModel((text) => new Promise((resolve) => waiting.set(text, resolve)))
  return {
    ...held,
    waiting,
    letGo(text: string) {
      const resolve = waiting.get(text)
      if (!resolve) throw new Error(`no ask about ${text} waits`)
      waiting.delete(text)
      resolve(modelReply({ label: text }))
    },
  }
}
