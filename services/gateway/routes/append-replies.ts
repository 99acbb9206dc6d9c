/** The replies of routes that append. */
import { integer, type JsonSchema, list, object, orNull, text } from './route-schema.ts'

/** Of a route that appends to another topic than `utterances`. */
export const topicPosition: JsonSchema = text(
  '`TOPIC/PARTITION@OFFSET`, after the record of the change. It is no `after` of a recall, which takes positions of `utterances`.',
)
export const topicPositionOrNull = (none: string): JsonSchema => ({
  ...orNull(topicPosition),
  description: `${String(topicPosition.description)} Null: ${none}.`,
})

export const appendedFields = {
  ids: list(text('The id of the event.'), 'Ids of the events, in the order of the request.'),
  appended: integer('Number of events that this request added.'),
  known: integer('Number of events that the log already had, with the same content.'),
  position: text('`PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`.'),
}
export const appendedReply = object(appendedFields)
