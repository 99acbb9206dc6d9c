/** Routes on the origin and the effects of a memory, with their cost. */
import { impactWithCost, whyWithCost } from '@loomlog/recall/answer-costs'
import type { FastifyInstance } from 'fastify'
import { addressOf, spaceKeyOf } from '../request-address.ts'
import { lineageFields } from './lineage-schemas.ts'
import { readingFields } from './reading-fields.ts'
import type { MemoryParams, RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, integer, list, object, orNull, pathParameters, text } from './route-schema.ts'

const cost = { $ref: 'Cost#' }

const whyRoute = apiRoute({
  scope: 'recall',
  id: 'why',
  tag: 'memories',
  summary: 'The sources of a memory, down to the utterances',
  params: pathParameters('space', 'id'),
  replies: { 200: object({ ...lineageFields, cost, ...readingFields }) },
})

const impactFields = {
  id: text('The id of the memory.'),
  counts: list(
    object({
      kind: text('The kind of the derived memories.'),
      evidence: integer('Memories that cite it.'),
      context: integer('Memories with it in their ask.'),
    }),
    'Numbers of derived memories by kind.',
  ),
  effects: list({ $ref: 'Effect#' }, 'In the order of the stages.'),
  leftOut: integer('Number of memories beyond `limit`.'),
  cost,
  ...readingFields,
}
const impactRoute = apiRoute({
  scope: 'recall',
  id: 'impact',
  tag: 'memories',
  summary: 'Every memory derived from a memory, with the cost',
  params: pathParameters('space', 'id'),
  query: { limit: { ...integer('Maximum number of listed memories.'), minimum: 1, maximum: 10_000, default: 100 } },
  replies: {
    200: object(
      {
        ...impactFields,
        rebuilding: list(
          { $ref: 'Rebuild#' },
          'Views that are being rebuilt: memories may be missing; present if there are any.',
        ),
      },
      Object.keys(impactFields),
    ),
  },
})

const answerRoute = apiRoute({
  scope: 'recall',
  id: 'answer',
  tag: 'memories',
  summary: 'A recorded answer of a model, with its prompt',
  about: 'An answer of another space is 404. The input is not recorded: it is made of the causes of the memory.',
  params: { ...pathParameters('space'), key: text('The key of the recorded answer, as `why` names it.') },
  replies: {
    200: object({
      key: text('The key of the recorded answer.'),
      task: text('The task of the ask.'),
      stage: orNull(text('The stage that asked first; null in answers of earlier versions.')),
      model: text('The name of the model.'),
      prompt: orNull(text('The text of the prompt; null for an embedding, and where no known derivation has it.')),
      answer: orNull(text('The answer as JSON; null where there is none, and for an embedding.')),
      none: orNull(text('Why there is no answer; null where there is one.')),
    }),
  },
})

type Impact = MemoryParams & { Querystring: { limit: number } }

export function serveLineage(app: FastifyInstance, { options, read }: RouteParts): void {
  app.get<MemoryParams>('/v1/spaces/:space/memories/:id/why', whyRoute, (request, reply) =>
    read(reply, async () => {
      const { generation, epoch, views } = await options.reading(addressOf(request).tenant)
      return {
        ...(await whyWithCost(request.params.id, spaceKeyOf(request), { ...options, views })),
        generation,
        epoch,
      }
    }),
  )
  app.get<SpaceParams & { Params: { key: string } }>('/v1/spaces/:space/answers/:key', answerRoute, (request, reply) =>
    read(reply, () => options.answerText(request.params.key, addressOf(request))),
  )
  app.get<Impact>('/v1/spaces/:space/memories/:id/impact', impactRoute, (request, reply) =>
    read(reply, async () => {
      const { generation, epoch, views } = await options.reading(addressOf(request).tenant)
      const { id } = request.params
      const { limit } = request.query
      return { ...(await impactWithCost(id, spaceKeyOf(request), { ...options, views, limit })), generation, epoch }
    }),
  )
}
