/** Routes of parked inputs of the tenant: records that no stage could process, each with its reason. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireAuthor } from '../access/author-access.ts'
import { tenantOf } from '../access/route-access.ts'
import { nextCursor, type PageRequest, pageOf, pageParameters } from './page-cursor.ts'
import type { RouteParts } from './route-parts.ts'
import { apiRoute, integer, list, object, orNull, text } from './route-schema.ts'

const input = {
  id: text('The id of the parked input.'),
  stage: text('The stage that parked it.'),
  code: text('The code of the error.'),
  reason: text('The reason in words.'),
  attempts: integer('The number of attempts.'),
  at: integer('When it was parked, in ms since 1970.'),
}
const common = { scope: 'administer', tag: 'parked' } as const
const params = { id: text('The id of the parked input.') }

const listRoute = apiRoute({
  ...common,
  id: 'parked',
  summary: 'The parked inputs of the tenant that no retry has processed',
  about: 'In the order of parking.',
  query: pageParameters,
  replies: { 200: object({ parked: list(object(input)), next: nextCursor }) },
})
const oneRoute = apiRoute({
  ...common,
  params,
  id: 'parkedInput',
  summary: 'A parked input with its content',
  replies: {
    200: object({
      ...input,
      value: text('The bytes of the record, as base64.'),
      event: orNull({ type: 'object', description: 'The decoded record; null if it is undecodable.' }),
    }),
  },
})
const retryRoute = apiRoute({
  ...common,
  params,
  id: 'retryParked',
  summary: 'Process a parked input again, in the order of its space',
  body: {
    ...object({ by: { ...text('The person or program that requests the retry.'), minLength: 1, maxLength: 256 } }),
    additionalProperties: false,
  },
  replies: {
    201: object({
      retry: text('The id of the `RetryRequested` event.'),
      attempt: integer('The number of this attempt.'),
      stage: text('The stage that retries.'),
      position: text('`PARTITION@OFFSET` after this event.'),
    }),
  },
})

type OfInput = { Params: { id: string } }

export function serveParked(app: FastifyInstance, { options: { parked: work }, read }: RouteParts): void {
  app.get<{ Querystring: PageRequest }>('/v1/parked', listRoute, (request, reply) =>
    read(reply, async () => {
      const tenant = tenantOf(request as FastifyRequest)
      const order = { list: `parked ${tenant}`, types: ['number', 'string'] } as const
      const keyOf = ({ at, id }: { readonly at: number; readonly id: string }) => [at, id]
      const { items, next } = pageOf(await work.list(tenant), request.query, { ...order, keyOf })
      return { parked: items, next }
    }),
  )
  app.get<OfInput>('/v1/parked/:id', oneRoute, (request, reply) =>
    read(reply, () => work.details(request.params.id, tenantOf(request as FastifyRequest))),
  )
  app.post<OfInput & { Body: { by: string } }>('/v1/parked/:id/retry', retryRoute, async (request, reply) => {
    const { params, body } = request
    requireAuthor(request as FastifyRequest, body)
    const retried = await read(reply, () => work.retry(params.id, tenantOf(request as FastifyRequest), body.by))
    return reply.code(201).send(retried)
  })
}
