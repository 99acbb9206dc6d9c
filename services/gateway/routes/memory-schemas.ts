/**
 * The memories in the replies of recall and context, and the further parts of these replies. Each is a component of the
 * OpenAPI document, under its `$id`.
 */
import { contextParts } from '@loomlog/recall/context-block'
import { featureParts } from '@loomlog/recall/contribution'
import { type ApiComponent, choice, component, integer, list, number, object, orNull, text } from './route-schema.ts'

const times = object({
  from: orNull(integer('In ms since 1970; null: unknown.')),
  to: orNull(integer('In ms since 1970; null: it has not ended.')),
})
const trace = object({
  id: text('The id of the timeline.'),
  title: text('The matter of the timeline.'),
  position: integer('The place of the event in it, from 1.'),
  events: integer('The events of the timeline that were read.'),
})
const spaceKey = text('`TENANT/SPACE`')
const kind = text('The kind of the memory.')
const place = { id: text('Unique in its space.'), space: spaceKey, kind }

const scored = {
  ...place,
  text: text('The text of the memory.'),
  speaker: text('The person or agent who said it; empty if there is no single one.'),
  conversation: text('The thread; empty if there is no single one.'),
  at: orNull(integer('When it was spoken or happened, in ms since 1970; null: at no single time.')),
  offset: integer('The order of memories with the same time.'),
  valid: { ...times, description: 'Event time in which it was true.' },
  known: {
    ...object({ from: integer('In ms since 1970.'), to: orNull(integer('In ms since 1970; null: it is current.')) }),
    description: 'Log time from which the memory knew it, until it was retired.',
  },
  sources: list(text('The id of an utterance or a correction.')),
  method: orNull(text('`rules`, or the name of the model; null for an utterance.')),
  score: number('Higher is better.'),
  replacedBy: list(text('The id of a memory that replaces this one.'), 'Present if this memory is outdated.'),
  outdated: list(
    text('A sentence that no longer holds.'),
    'Beside `replacedBy`: present if other sentences of the text still hold.',
  ),
  retractedBy: list(
    text('The id of a correction that retracted facts of this utterance.'),
    'Present if all its facts are retracted.',
  ),
  ended: choice(['all', 'some'], 'Present if conclusions from this utterance ended: all of them, or some.'),
  raisedBy: text('The id of the memory whose score this one has, because its own is lower.'),
  traces: list(trace, 'The timelines of an event.'),
  tokens: integer('Tokens (cl100k) of the text.'),
}
const optional = ['replacedBy', 'outdated', 'retractedBy', 'ended', 'raisedBy', 'traces']
const required = Object.keys(scored).filter((name) => !optional.includes(name))

const evidence = component('Evidence', object(scored, required), 'A memory that was found.')
const part = choice(
  contextParts,
  '`instruction`: a standing instruction. `holds`: an entry that is true now, or was, with its end. `timeline`: an event of the matter. `evidence`: an utterance.',
)
const contextItem = component(
  'ContextItem',
  object({ ...scored, part }, [...required, 'part']),
  'A numbered item of a context.',
)
const leftOutMemory = component(
  'LeftOutMemory',
  object({
    ...place,
    score: scored.score,
    why: choice(
      ['limit', 'budget', 'unlikely'],
      '`limit`: others were better. `budget`: its tokens did not fit. `unlikely`: below the floor that evidence within a budget has.',
    ),
  }),
  'A memory that was found and not returned.',
)
const failedMemory = component(
  'FailedMemory',
  object({ ...place, why: text('The error.') }),
  'A memory that was found, and left out because reading it failed.',
)
const rebuild = component(
  'Rebuild',
  object({
    topic: text('The topic of the view.'),
    partition: integer('The partition of the topic.'),
    reached: integer('The offsets below this one are in the view.'),
    end: integer('The end of the partition when the view was found behind.'),
  }),
  'A part of a view that lacks records because it is built or rebuilt.',
)
const questionAnalysis = component(
  'QuestionAnalysis',
  object({
    by: text('`rules`, or the name of the model.'),
    requires: list(text('Information that an answer needs.')),
    queries: list(text('A query to search; the first is the question itself.')),
    keywords: list(text('A keyword.')),
    persons: list(text('The name of a person.')),
    entities: list(text('The name of a thing.')),
    time: orNull(text('The time that the question names.')),
    location: orNull(text('The place that the question names.')),
    note: orNull(text('The reason if rules replaced the model.')),
  }),
  'The analysis of a question.',
)
const citedAnswer = component(
  'CitedAnswer',
  object({
    answer: orNull(text('The answer in words; null: none, for the reason in `why`.')),
    cites: list(text('The id of a memory of the evidence.')),
    by: orNull(text('The name of the model; null without one.')),
    why: orNull(text('The reason for no answer.')),
  }),
  'An answer by a model from the evidence.',
)
const contribution = component(
  'Contribution',
  object({
    feature: text('The name of the feature.'),
    part: choice(featureParts, 'The part of recall that the feature belongs to.'),
    value: number('The value of the feature.'),
    weight: number('The weight of the feature.'),
    contribution: number('Value times weight.'),
  }),
  'The share of one feature in a score.',
)
const candidateFields = {
  ...place,
  text: scored.text,
  sources: scored.sources,
  score: scored.score,
  tokens: integer('Tokens (cl100k); within a budget, with the number of the item.'),
  outcome: choice(
    ['taken', 'limit', 'budget', 'unlikely'],
    '`taken`: it is among the memories. The others are the reasons of `leftOut`.',
  ),
  contributions: list({ $ref: 'Contribution#' }, 'The contributions other than 0, largest first.'),
}
const candidate = component(
  'Candidate',
  object({ ...candidateFields, raisedBy: scored.raisedBy }, Object.keys(candidateFields)),
  'A candidate of an explained recall.',
)
const searchStep = component(
  'SearchStep',
  object({
    tool: text('The name of the tool.'),
    input: text('The input of the tool, as JSON.'),
    shown: integer('Memories that the tool showed.'),
  }),
  'A step of a search by a model.',
)
const toolDescription = component(
  'Tool',
  object({
    name: text('The name of the tool.'),
    description: text('The description for the model.'),
    input: { type: 'object', additionalProperties: true, description: 'JSON Schema of the input.' },
  }),
  'A tool of agentic retrieval.',
)

export const memorySchemas: readonly ApiComponent[] = [
  evidence,
  contextItem,
  leftOutMemory,
  failedMemory,
  rebuild,
  questionAnalysis,
  citedAnswer,
  contribution,
  candidate,
  searchStep,
  toolDescription,
]

/** Fields of every reply that searches a memory, present in the case that each describes. */
export const searchFields = {
  unsearched: integer('Records of the log that were not searched; present if views are far behind.'),
  logAway: text('Why the log was not read. Utterances in no view yet were not searched.'),
  rebuilding: list({ $ref: 'Rebuild#' }, 'Views that are being rebuilt; present if there are any.'),
  notices: list(
    text('A notice.'),
    'Names of spaces or speakers that the memory does not have, with the nearest that the caller may read; present if there are any.',
  ),
}
/** Fields of a reply with evidence. */
export const evidenceFields = {
  ...searchFields,
  failed: list(
    { $ref: 'FailedMemory#' },
    'Memories that were found, and left out because reading them failed; present if there are any.',
  ),
  understood: {
    $ref: 'QuestionAnalysis#',
  },
}
