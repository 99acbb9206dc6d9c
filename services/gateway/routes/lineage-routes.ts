/** Routes on the origin of a memory. */
import { why } from '@loomlog/recall/why'
import type { FastifyInstance } from 'fastify'
import { keyOf, placeOf } from '../request-place.ts'
import { readingFields } from './reading-reply.ts'
import type { OfMemory, RouteParts } from './route-parts.ts'
import { apiRoute, list, named, object, orNull, text, whole } from './route-schema.ts'

const recordPlace = object({ topic: text(''), partition: whole(''), offset: whole('') })

const lineage = {
  id: text('Of the memory.'),
  kind: text('utterance, correction, box, fact, event, link, entry or document.'),
  text: text('Its words.'),
  derivation: orNull(text('Null for an utterance.')),
  method: orNull(text('`rules`, or the name of the model; null for an utterance.')),
  completions: list(text('Key of a recorded answer that it was derived with.')),
  record: { ...recordPlace, description: 'Its record in the log.' },
  causes: list({ type: 'object' }, 'The memories it was derived from, in the same form.'),
}
const whyRoute = apiRoute({
  ...{ scope: 'recall', id: 'why', tag: 'memories', summary: 'The sources of a memory, down to the utterances' },
  params: named('space', 'id'),
  replies: { 200: object({ ...lineage, ...readingFields }) },
})

export function serveLineage(app: FastifyInstance, { options, read }: RouteParts): void {
  app.get<OfMemory>('/v1/spaces/:space/memories/:id/why', whyRoute, (request, reply) =>
    read(reply, async () => {
      const { generation, epoch, views } = await options.reading(placeOf(request).tenant)
      return { ...(await why(request.params.id, keyOf(request), { ...options, views })), generation, epoch }
    }),
  )
}
