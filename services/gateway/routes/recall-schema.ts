/** The parameters of a recall and its reply, for the API reference. */
import { analysisMethods, defaultContextTokens, waitReaches } from '@loomlog/recall/choices'
import { kinds } from '@loomlog/recall/memory'
import { contextParameters } from '@loomlog/recall/parameters'
import { maxBudgetTokens, maxLimit, maxWaitMs, modes } from '@loomlog/recall/request'
import { evidenceFields } from './memory-schemas.ts'
import { readingFields } from './reading-fields.ts'
import { choice, integer, type JsonSchema, list, number, object, text } from './route-schema.ts'

const several = (items: JsonSchema, description: string): JsonSchema => ({
  anyOf: [items, { type: 'array', items, maxItems: 100 }],
  description,
})
const yesOrNo = (description: string): JsonSchema => ({ ...choice(['yes', 'no'], description), default: 'no' })
const upTo = (maximum: number, description: string): JsonSchema => ({ ...integer(description), minimum: 1, maximum })
const moment = (description: string) => text(`${description} A day (its beginning, UTC), or a time with a zone.`)

export const recallSchema = {
  query: text('The question.'),
  also: several(text(''), 'Further spaces of the tenant; 16 in all. The memories of all spaces are ranked together.'),
  mode: choice(
    modes,
    '`combined` (default): utterances, ranked also by their facts and events. `content`: the same without events. `trace_event`: events, each with the other events of its timelines. `documents`: documents by their summary, and parts of documents by their words.',
  ),
  kind: several(
    text(''),
    `Instead of a mode: only these kinds, each searched by itself: ${kinds.join(', ')}, and those of extensions.`,
  ),
  limit: upTo(maxLimit, 'Maximum number of memories. Default: 10; with a budget, as many as fit.'),
  budget: upTo(maxBudgetTokens, 'Maximum number of tokens (cl100k) of the evidence. Default: no limit.'),
  speaker: several(text(''), 'Only these speakers.'),
  conversation: several(text(''), 'Only these conversations.'),
  from: moment('Spoken or happened at or after this time.'),
  to: moment('Spoken or happened before this time.'),
  metadata: several(text(''), '`LABEL=VALUE`: only utterances that carry all of these labels.'),
  exclude: several(text(''), 'Ids of memories to leave out, with every memory that is derived from these alone.'),
  excludeLast: several(
    text(''),
    'CONVERSATION=COUNT: leaves out the last COUNT utterances of a conversation, for a caller that has them at hand.',
  ),
  trueAt: moment('Only memories that were true at this time, as far as known. Default: now.'),
  knownAt: moment('Only memories that the log had accepted by this time. Default: now.'),
  answer: yesOrNo('`yes`: also an answer in words by the model, with citations, or the reason for none.'),
  agentic: yesOrNo('`yes`: a model searches the space with the tools; not with `mode`, `kind`, filters and times.'),
  explain: yesOrNo('`yes`: also every candidate with its score, its outcome, and the contribution of each feature.'),
  understanding: choice(
    analysisMethods,
    '`model`: a model first analyzes the question, in one call. Default: `rules`.',
  ),
  generation: text('The id or name of a generation to read instead of the live one.'),
  after: text('A `position` of the space: waits until the views have every record before it.'),
  reach: choice(
    waitReaches,
    '`derived`: also waits for the memories that the stages derive from these records so far.',
  ),
  wait: upTo(maxWaitMs, 'Longest wait for `after`, in ms; after it the reply is 503 `views-behind`. Default: 5000.'),
}

const asker = text(
  'The speaker of the request: the context has the standing instructions of this person, and those for everybody. Default: those of all, each with its author.',
)

const yesOrNoParameters = ['answer', 'agentic', 'explain'] as const

/** The body of a POST: the parameters that are `yes` or `no` may be booleans. */
export const recallBody = {
  ...recallSchema,
  ...Object.fromEntries(
    yesOrNoParameters.map((name) => {
      const { type, enum: values, ...rest } = recallSchema[name]
      return [name, { anyOf: [{ type, enum: values }, { type: 'boolean' }], ...rest }]
    }),
  ),
}

const described = { ...recallSchema, for: asker }

export const contextSchema = {
  ...Object.fromEntries(contextParameters.map((name) => [name, described[name]])),
  query: text(
    'The question. Without one: the current state of the people of the newest utterances, and these utterances.',
  ),
  budget: upTo(maxBudgetTokens, `Maximum number of tokens (cl100k) of the text. Default: ${defaultContextTokens}.`),
}

export const contextReply = object(
  {
    space: text('`TENANT/SPACE`'),
    ...readingFields,
    items: list({ $ref: 'ContextItem#' }, 'The numbered items of the text, item 1 first.'),
    text: text('The text to put before a model.'),
    tokens: integer('Tokens (cl100k) of the text.'),
    ...evidenceFields,
  },
  ['space', 'generation', 'epoch', 'items', 'text', 'tokens'],
)

export const recallReply = object(
  {
    space: text('`TENANT/SPACE`'),
    query: text('The question.'),
    ...readingFields,
    answer: { $ref: 'CitedAnswer#' },
    memories: list({ $ref: 'Evidence#' }, 'The evidence, best first; within a budget in the order of time.'),
    text: text('The evidence as a text to put before a model.'),
    tokens: integer('Tokens (cl100k) of the evidence.'),
    leftOut: list({ $ref: 'LeftOutMemory#' }, 'Memories that were found and not returned.'),
    ...evidenceFields,
    bias: number('With `explain`: the log-odds that every candidate begins with.'),
    candidates: list({ $ref: 'Candidate#' }, 'With `explain`: every candidate.'),
    steps: list({ $ref: 'SearchStep#' }, 'With `agentic`: the steps of the model.'),
    stopped: choice(
      ['finished', 'unnamed', 'steps', 'tokens'],
      'With `agentic`: the end of the search. `finished`: the model named the evidence. `unnamed`: it named none. `steps`, `tokens`: the limit that it reached.',
    ),
  },
  ['space', 'query', 'generation', 'epoch', 'memories', 'text', 'tokens', 'leftOut'],
)
