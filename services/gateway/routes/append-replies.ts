/** The reply of every route that appends source events. */
import { list, object, text, whole } from './route-schema.ts'

export const appendedReply = object({
  ids: list(text('The id of the event.'), 'In the order of the request.'),
  appended: whole('Events that are newly durable.'),
  known: whole('Events that the log had already, with the same content.'),
  position: text('`PARTITION@OFFSET`, after every acknowledged event of the space: `after` of a recall.'),
})
