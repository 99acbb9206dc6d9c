/** Routes on the origin and the effects of a memory, with their cost. */
import { impactWithCost, whyWithCost } from '@loomlog/recall/answer-costs'
import type { FastifyInstance } from 'fastify'
import { keyOf, placeOf } from '../request-place.ts'
import { readingFields } from './reading-reply.ts'
import type { MemoryParams, RouteParts } from './route-parts.ts'
import { apiRoute, fraction, list, named, object, orNull, text, whole } from './route-schema.ts'

const recordPlace = object({ topic: text(''), partition: whole(''), offset: whole('') })
const cost = object({
  asks: whole('Recorded answers.'),
  inputTokens: whole(''),
  outputTokens: whole(''),
  money: orNull(fraction('By LOOMLOG_PRICES; null: none is priced.')),
})

const lineage = {
  id: text('Of the memory.'),
  kind: text('utterance, correction, box, fact, link, entry or document.'),
  text: text('Its words.'),
  derivation: orNull(text('Null for an utterance.')),
  method: orNull(text('`rules`, or the name of the model; null for an utterance.')),
  completions: list(text('Key of a recorded answer that it was derived with.')),
  record: { ...recordPlace, description: 'Its record in the log.' },
  asked: list({ type: 'object' }, 'The recorded answers that it was derived with: task, model, prompt, tokens, money.'),
  causes: list({ type: 'object' }, 'The memories it was derived from, in the same form.'),
}
const effect = object({
  id: text('Of the derived memory.'),
  kind: text('box, fact, link, entry or document.'),
  text: text('Its words.'),
  by: text('`evidence`: it cites the memory; `context`: the memory was part of its ask.'),
  from: text('The direct cause.'),
  holds: text('`now` or `no longer`.'),
  record: recordPlace,
})
const whyRoute = apiRoute({
  ...{ scope: 'recall', id: 'why', tag: 'memories', summary: 'The sources of a memory, down to the utterances' },
  params: named('space', 'id'),
  replies: { 200: object({ ...lineage, cost, ...readingFields }) },
})

const impactRoute = apiRoute({
  ...{ scope: 'recall', id: 'impact', tag: 'memories', summary: 'Every memory derived from a memory, with the cost' },
  params: named('space', 'id'),
  query: { limit: { ...whole('Memories that are listed.'), minimum: 1, maximum: 10_000, default: 100 } },
  replies: {
    200: object({
      id: text(''),
      counts: list(
        object({ kind: text(''), evidence: whole('That cite it.'), context: whole('Derived with it as context.') }),
      ),
      effects: list(effect, 'In the order of the stages.'),
      leftOut: whole('Memories that are not listed.'),
      cost,
      ...readingFields,
    }),
  },
})

type Impact = MemoryParams & { Querystring: { limit: number } }

export function serveLineage(app: FastifyInstance, { options, read }: RouteParts): void {
  app.get<MemoryParams>('/v1/spaces/:space/memories/:id/why', whyRoute, (request, reply) =>
    read(reply, async () => {
      const { generation, epoch, views } = await options.reading(placeOf(request).tenant)
      return { ...(await whyWithCost(request.params.id, keyOf(request), { ...options, views })), generation, epoch }
    }),
  )
  app.get<Impact>('/v1/spaces/:space/memories/:id/impact', impactRoute, (request, reply) =>
    read(reply, async () => {
      const { generation, epoch, views } = await options.reading(placeOf(request).tenant)
      const { id } = request.params
      const { limit } = request.query
      return { ...(await impactWithCost(id, keyOf(request), { ...options, views, limit })), generation, epoch }
    }),
  )
}
