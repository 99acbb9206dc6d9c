/** The parts of the replies on the origin and the effects of a memory: components of the OpenAPI document. */
import { sourceEventSchema } from '@loomlog/schemas/cloud-event-schemas'
import { type ApiComponent, choice, component, integer, list, number, object, orNull, text } from './route-schema.ts'

const record = {
  ...object({
    topic: text('The topic.'),
    partition: integer('The partition of the topic.'),
    offset: integer('The offset in the partition.'),
  }),
  description: 'The record of the memory in the log.',
}
const inputTokens = integer('Tokens of the input.')
const outputTokens = integer('Tokens of the output.')
const derivedFrom = {
  derivation: orNull(text('The derivation; null for an utterance.')),
  method: orNull(text('`rules`, or the name of the model; null for an utterance.')),
  completions: list(text('The key of a recorded answer that the memory was derived with.')),
}

export const lineageFields = {
  id: text('The id of the memory.'),
  kind: text('utterance, correction, box, fact, link, entry or document.'),
  text: text('The text of the memory.'),
  ...derivedFrom,
  record,
  asked: list({ $ref: 'UsedAnswer#' }, 'These recorded answers.'),
  causes: list({ $ref: 'Cause#' }, 'The memories that it was derived from.'),
}

export const lineageSchemas: readonly ApiComponent[] = [
  component('Cause', object(lineageFields), 'A memory that another was derived from, with its own causes.'),
  component(
    'UsedAnswer',
    object({
      key: text('The key of the recorded answer.'),
      task: text('The task of the ask.'),
      model: text('The name of the model.'),
      prompt: orNull(text("The hash of the prompt's text; null for an embedding that rules asked for.")),
      attempts: integer('Calls of the model.'),
      inputTokens,
      outputTokens,
      money: orNull(number('By LOOMLOG_PRICES; null: the model has no price.')),
    }),
    'A recorded answer that a memory was derived with.',
  ),
  component(
    'Cost',
    object({
      asks: integer('Recorded answers.'),
      inputTokens,
      outputTokens,
      money: orNull(number('By LOOMLOG_PRICES; null without prices.')),
    }),
    'The cost of recorded answers.',
  ),
  component(
    'Effect',
    object({
      id: text('The id of the derived memory.'),
      kind: text('box, fact, link, entry or document.'),
      text: text('The text of the memory.'),
      by: choice(
        ['evidence', 'context'],
        '`evidence`: it cites the memory; `context`: the memory was part of its ask.',
      ),
      from: text('The id of the direct cause.'),
      ...derivedFrom,
      holds: choice(['now', 'no longer'], 'Whether it is current or retired.'),
      record,
    }),
    'A memory that was derived from another.',
  ),
  { $id: 'CorrectionEvent', ...sourceEventSchema('MemoryCorrected') },
]
