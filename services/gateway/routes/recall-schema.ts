/** The parameters of a recall and its reply, for the API reference. */
import { analysisMethods, defaultContextTokens, waitReaches } from '@loomlog/recall/choices'
import { contextParts } from '@loomlog/recall/context-block'
import { kinds } from '@loomlog/recall/memory'
import { contextParameters } from '@loomlog/recall/parameters'
import { maxBudgetTokens, maxLimit, maxWaitMs, modes } from '@loomlog/recall/request'
import { choice, integer, type JsonSchema, list, number, object, orNull, text } from './route-schema.ts'

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

export const noticesSchema = list(
  text(''),
  'Names of spaces or speakers that the memory does not have, with the nearest that the caller may read; present if there are any.',
)

const memoryFields = {
  id: text('Unique in its space.'),
  kind: text('The kind of the memory.'),
  space: text('`TENANT/SPACE`'),
  text: text('The text of the memory.'),
  speaker: text(''),
  conversation: text(''),
  at: orNull(integer('When it was spoken or happened, in ms since 1970.')),
  score: number('Higher is better.'),
  sources: list(text('The id of an utterance or a correction.')),
  tokens: integer('Tokens (cl100k) of the text.'),
  replacedBy: list(text('The id of a memory that replaces this one; present if this one is outdated.')),
  outdated: list(text('A sentence that no longer holds; present if other sentences of the text still do.')),
  retractedBy: list(
    text('The id of a correction that retracted facts of this utterance; present if all its facts are retracted.'),
  ),
}

const memory = object(memoryFields, ['id', 'kind', 'space', 'text', 'at', 'score', 'sources', 'tokens'])

const asker = text(
  'The speaker of the request: the context has the standing instructions of this person, and those for everybody. Default: those of all, each with its author.',
)

const described = { ...recallSchema, for: asker }

export const contextSchema = {
  ...Object.fromEntries(contextParameters.map((name) => [name, described[name]])),
  query: text(
    'The question. Without one: the current state of the people of the newest utterances, and these utterances.',
  ),
  budget: upTo(maxBudgetTokens, `Maximum number of tokens (cl100k) of the text. Default: ${defaultContextTokens}.`),
}

const failed = list(
  object({
    id: text('The id of the memory.'),
    space: text('`TENANT/SPACE`'),
    kind: text('The kind of the memory.'),
    why: text('The error.'),
  }),
  'Memories that were found, and left out because reading them failed; present if there are any.',
)

const contextItem = object(
  {
    ...memoryFields,
    ended: choice(
      ['all', 'some'],
      'Present if conclusions from this utterance ended: all of them, or some. The text marks it.',
    ),
    part: choice(
      contextParts,
      '`instruction`: a standing instruction. `holds`: an entry that is true now, or was, with its end. `timeline`: an event of the matter. `evidence`: an utterance.',
    ),
  },
  ['id', 'kind', 'space', 'text', 'at', 'sources', 'tokens', 'part'],
)

export const contextReply = object(
  {
    space: text('`TENANT/SPACE`'),
    generation: orNull(text('The generation that was read.')),
    epoch: integer('Rises with every change of the live generation.'),
    items: list(contextItem, 'The numbered items of the text, item 1 first.'),
    text: text('The text to put before a model.'),
    tokens: integer('Tokens (cl100k) of the text.'),
    understood: { type: 'object', description: 'With `understanding=model`: the analysis of the question.' },
    unsearched: integer('Records of the log that were not searched; present if views are far behind.'),
    logAway: text('Why the log was not read. Utterances in no view yet were not searched.'),
    rebuilding: list({ type: 'object' }, 'Views that are being rebuilt; present if there are any.'),
    notices: noticesSchema,
    failed,
  },
  ['space', 'generation', 'epoch', 'items', 'text', 'tokens'],
)

export const recallReply = object(
  {
    space: text('`TENANT/SPACE`'),
    query: text('The question.'),
    generation: orNull(text('The generation that was read.')),
    epoch: integer('Rises with every change of the live generation.'),
    answer: {
      type: 'object',
      description:
        'With `answer=yes`: `answer` in words or null, the citations `cites`, the model `by`, and `why`, the reason for no answer.',
    },
    memories: list(memory, 'The evidence, best first; within a budget in the order of time.'),
    text: text('The evidence as a text to put before a model.'),
    tokens: integer('Tokens (cl100k) of the evidence.'),
    leftOut: list(
      { type: 'object' },
      'Memories that were found and not returned. `why`: `limit`, others were better; `budget`, its tokens did not fit; `unlikely`, below the floor that evidence within a budget has.',
    ),
    unsearched: integer('Records of the log that were not searched; present if views are far behind.'),
    logAway: text('Why the log was not read. Utterances in no view yet were not searched.'),
    rebuilding: list({ type: 'object' }, 'Views that are being rebuilt; present if there are any.'),
    notices: noticesSchema,
    failed,
    understood: { type: 'object', description: 'The analysis of the question.' },
    candidates: list({ type: 'object' }, 'With `explain=yes`: every candidate.'),
    steps: list({ type: 'object' }, 'With `agentic=yes`: the steps of the model.'),
    stopped: text('With `agentic=yes`: why the search ended.'),
  },
  ['space', 'query', 'generation', 'epoch', 'memories', 'text', 'tokens', 'leftOut'],
)
