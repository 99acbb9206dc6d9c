/** The reply of every route that appends source events. */
import { integer, list, object, text } from './route-schema.ts'

export const appendedReply = object({
  ids: list(text('The id of the event.'), 'Ids of the events, in the order of the request.'),
  appended: integer('Number of events that this request added.'),
  known: integer('Number of events that the log already had, with the same content.'),
  position: text('`PARTITION@OFFSET`, after every acknowledged event of the space. Pass it to a recall as `after`.'),
})
