/**
 * The HTTP edge: utterances in, evidence out. What is answered with 201 is durable in the log; a wrong field is named with its value
 * and what was expected, as problem details.
 */
import { LoomlogError } from '@loomlog/errors'
import { appendOnce } from '@loomlog/intake/append'
import { type Place, utteranceFrom } from '@loomlog/intake/utterance'
import { type RecallOptions, recall } from '@loomlog/recall/recall'
import { why } from '@loomlog/recall/why'
import { spaceKey } from '@loomlog/schemas/ids'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { problemOf } from './problem.ts'

/** A request's body may be this large at most, in bytes. */
export const maxBodyBytes = 1_000_000
/** Utterances in one request. */
export const maxUtterances = 500

export interface GatewayOptions extends RecallOptions {
  readonly logger: Logger
  /** What GET /v1/status answers. */
  status(): Promise<object>
}

type InSpace = { Params: { space: string }; Headers: { 'x-loomlog-tenant'?: string } }

export function createGateway(options: GatewayOptions): FastifyInstance {
  const app = Fastify({ loggerInstance: options.logger, bodyLimit: maxBodyBytes }) as unknown as FastifyInstance
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error)
    if (problem.status >= 500) request.log.error(error)
    return reply.code(problem.status).type('application/problem+json').send(problem)
  })
  app.setNotFoundHandler((request, reply) => {
    const detail = `there is no ${request.method} ${request.url}`
    const problem = { type: 'about:blank', title: 'not found', status: 404, detail }
    return reply.code(404).type('application/problem+json').send(problem)
  })

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/v1/status', async () => options.status())

  app.post<InSpace & { Body: unknown }>('/v1/spaces/:space/utterances', async (request, reply) => {
    const given = Array.isArray(request.body) ? request.body : [request.body]
    if (given.length === 0 || given.length > maxUtterances) {
      throw new LoomlogError('input-invalid', `the body has ${given.length} utterances: expected 1 to ${maxUtterances}`)
    }
    const now = Date.now()
    const place = placeOf(request)
    const events = given.map((utterance) => utteranceFrom(utterance, place, now))
    const appended = await appendOnce(events, options)
    return reply.code(201).send({ ids: events.map((event) => event.id), ...appended })
  })

  app.get<InSpace & { Querystring: { query?: string; limit?: string } }>(
    '/v1/spaces/:space/recall',
    async (request) => {
      const { query = '', limit } = request.query
      const space = keyOf(request)
      const memories = await recall({ space, query, ...(limit !== undefined && { limit: Number(limit) }) }, options)
      return { space, query, memories }
    },
  )

  app.get<InSpace & { Params: { id: string } }>('/v1/spaces/:space/memories/:id/why', async (request) =>
    why(request.params.id, keyOf(request), options.views),
  )
  return app
}

function placeOf(request: FastifyRequest<InSpace>): Place {
  return { tenant: request.headers['x-loomlog-tenant'] ?? 'default', space: request.params.space }
}

function keyOf(request: FastifyRequest<InSpace>): string {
  const { tenant, space } = placeOf(request)
  return spaceKey(tenant, space)
}
