/**
 * The HTTP edge: utterances in, evidence out. What is answered with 201 is durable in the log, and found by the next recall; a wrong
 * field is named with its value and what was expected, as problem details. A tenant sees and writes its own spaces only; who may
 * speak for a tenant is not decided here: whoever reaches the port may.
 */
import { Intake } from '@loomlog/intake/append'
import { checkedPlace, type Place } from '@loomlog/intake/utterance'
import { runTool, tools } from '@loomlog/recall/tools'
import { why } from '@loomlog/recall/why'
import { spaceKey } from '@loomlog/schemas/ids'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { acceptCorrection } from './corrections.ts'
import { type Problem, plain, problemOf } from './problem.ts'
import { type RecallRouteOptions, serveRecall } from './recalls.ts'
import { refuseUnread } from './unread.ts'
import { acceptUtterances } from './utterances.ts'

/** A request's body may be this large at most, in bytes. */
const maxBodyBytes = 1_000_000

export interface GatewayOptions extends RecallRouteOptions {
  readonly logger: Logger
  /** The folder of this log's local files. */
  readonly dir: string
  /** What GET /v1/status answers. */
  status(): Promise<object>
}

type InSpace = { Params: { space: string }; Headers: { 'x-loomlog-tenant'?: string } }

export function createGateway(options: GatewayOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.logger,
    bodyLimit: maxBodyBytes,
    clientErrorHandler: refuseUnread,
    frameworkErrors: (error, request, reply) => answer(error, request as unknown as FastifyRequest, reply),
  }) as unknown as FastifyInstance
  // JSON only: a page in a browser may send plain text to any port without asking first.
  app.removeContentTypeParser('text/plain')
  const intake = new Intake(options)
  app.addHook('onClose', () => intake.close())
  app.setErrorHandler<FastifyError>(answer)
  app.setNotFoundHandler((request, reply) => sent(reply, plain(404, `there is no ${request.method} ${request.url}`)))

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/v1/status', async () => ({ ...(await options.status()), recalls: options.recalls?.counts ?? 'off' }))

  app.post<InSpace & { Body: unknown }>('/v1/spaces/:space/utterances', async (request, reply) =>
    reply.code(201).send({
      ...(await acceptUtterances(request.body, placeOf(request), intake)),
      position: await intake.positionIn(keyOf(request)),
    }),
  )

  app.post<InSpace>('/v1/spaces/:space/corrections', async (request, reply) => {
    const { views } = await options.reading(placeOf(request).tenant)
    return reply.code(201).send(await acceptCorrection(request.body, placeOf(request), views, intake))
  })

  app.get<InSpace>('/v1/spaces/:space/recall', async (request) => serveRecall(request.query, placeOf(request), options))
  app.post<InSpace>('/v1/spaces/:space/recall', async (request) => serveRecall(request.body, placeOf(request), options))

  app.get('/v1/tools', async () => tools.map(({ name, description, input }) => ({ name, description, input })))
  app.post<InSpace & { Params: { name: string } }>('/v1/spaces/:space/tools/:name', async (request) => {
    const { generation, epoch, views } = await options.reading(placeOf(request).tenant)
    const place = { ...options, views, space: keyOf(request) }
    return { ...(await runTool(request.params.name, request.body ?? {}, place)), generation, epoch }
  })

  app.get<InSpace & { Params: { id: string } }>('/v1/spaces/:space/memories/:id/why', async (request) => {
    const { generation, epoch, views } = await options.reading(placeOf(request).tenant)
    return { ...(await why(request.params.id, keyOf(request), { ...options, views })), generation, epoch }
  })
  return app
}

function answer(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error)
  if (problem.status >= 500) request.log.error(error)
  if (problem.status === 415) return sent(reply, { ...problem, detail: 'expected a body of type application/json' })
  return sent(reply, problem)
}

function sent(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.code(problem.status).type('application/problem+json').send(problem)
}

/** @throws LoomlogError `input-invalid`: else one key could name two spaces */
function placeOf(request: FastifyRequest<InSpace>): Place {
  return checkedPlace({ tenant: request.headers['x-loomlog-tenant'] ?? 'default', space: request.params.space })
}

function keyOf(request: FastifyRequest<InSpace>): string {
  const { tenant, space } = placeOf(request)
  return spaceKey(tenant, space)
}
