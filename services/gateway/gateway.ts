/**
 * The HTTP edge: utterances in, evidence out. An append answered with 201 is durable in the log, and the next recall finds it; a wrong
 * field is named with its value and the expected ones, as problem details. A tenant sees and writes its own spaces only. Every route
 * declares the scope that its callers need.
 */
import { AccessRefused } from '@loomlog/access/access-refused'
import type { Access } from '@loomlog/access/caller'
import { LoomlogError } from '@loomlog/errors'
import type { Conditions } from '@loomlog/host/conditions'
import { Intake } from '@loomlog/intake/append'
import { runTool, tools } from '@loomlog/recall/tools'
import { why } from '@loomlog/recall/why'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { guardAccess, requireSpaces, tenantOf } from './access/route-access.ts'
import { Admission, untilAborted } from './admission.ts'
import { acceptCorrection } from './corrections.ts'
import { parseJsonOnly } from './json-body.ts'
import { defaultLimits, type GatewayLimits, maxBodyBytes, maxParameterChars } from './limits.ts'
import { type Problem, plain, problemOf, RefusedRequest } from './problem.ts'
import { type RecallPlace, type RecallRouteOptions, serveRecall } from './recalls.ts'
import { type GuardOptions, guardRequests } from './request-guard.ts'
import { keyOf, placeOf } from './request-place.ts'
import { type FeedRouteOptions, serveFeeds } from './subscriptions/feed-routes.ts'
import { refuseExpectation, refuseUnreadable } from './unreadable-request.ts'
import { acceptUtterances } from './utterances.ts'

export interface GatewayOptions extends RecallRouteOptions, GuardOptions, FeedRouteOptions {
  readonly logger: Logger
  readonly access: Access
  /** The folder of this log's local files. */
  readonly dir: string
  /** Overrides of the default limits. */
  readonly limits: Partial<GatewayLimits>
  /** The body of GET /v1/status. */
  status(): Promise<object>
  /** Outages, and paused, frozen or stalled stages: GET /healthz lists them. */
  readonly conditions: Pick<Conditions, 'current'>
  /** The body of GET /v1/usage. */
  usage(tenant: string): Promise<object>
}

type InSpace = { Params: { space: string } }

/** Retry-After of a temporary refusal, in s. */
const retryAfterS = 1

export function createGateway(options: GatewayOptions): FastifyInstance {
  const limits = { ...defaultLimits, ...options.limits }
  const app = serverOf(limits, options.logger)
  guardRequests(app, options)
  guardAccess(app, options.access)
  parseJsonOnly(app)
  const intake = new Intake(options)
  app.addHook('onClose', () => intake.close())
  const admission = new Admission(limits)
  const read = <T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>) =>
    admission.run(departureOf(reply), work)
  const durably = <T>(work: Promise<T>) => durableWithin(limits.appendMs, work)

  app.get('/healthz', { config: { scope: 'open' } }, async () => ({
    status: 'ok',
    ...healthOf(options),
  }))
  app.get('/v1/status', { config: { scope: 'operate' } }, (_, reply) =>
    read(reply, async () => ({ ...(await options.status()), recalls: options.recalls?.counts ?? 'off' })),
  )

  app.get('/v1/usage', { config: { scope: 'administer' } }, (request, reply) =>
    read(reply, () => options.usage(tenantOf(request))),
  )

  app.post<InSpace & { Body: unknown }>(
    '/v1/spaces/:space/utterances',
    { config: { scope: 'append' } },
    async (request, reply) => {
      const accepted = await durably(acceptUtterances(request.body, placeOf(request), intake))
      return reply.code(201).send({ ...accepted, position: await intake.positionIn(keyOf(request)) })
    },
  )

  app.post<InSpace>('/v1/spaces/:space/corrections', { config: { scope: 'correct' } }, async (request, reply) => {
    const place = placeOf(request)
    const accepted = await read(reply, async () => {
      const { views } = await options.reading(place.tenant)
      return await durably(acceptCorrection(request.body, place, views, intake))
    })
    return reply.code(201).send(accepted)
  })

  app.get<InSpace>('/v1/spaces/:space/recall', { config: { scope: 'recall' } }, (request, reply) =>
    read(reply, (signal) => serveRecall(request.query, recallPlaceOf(request), { ...options, signal })),
  )
  app.post<InSpace>('/v1/spaces/:space/recall', { config: { scope: 'recall' } }, (request, reply) =>
    read(reply, (signal) => serveRecall(request.body, recallPlaceOf(request), { ...options, signal })),
  )

  app.get('/v1/tools', { config: { scope: 'open' } }, async () =>
    tools.map(({ name, description, input }) => ({ name, description, input })),
  )
  app.post<InSpace & { Params: { name: string } }>(
    '/v1/spaces/:space/tools/:name',
    { config: { scope: 'recall' } },
    (request, reply) =>
      read(reply, async () => {
        const { generation, epoch, views } = await options.reading(placeOf(request).tenant)
        const place = { ...options, views, space: keyOf(request) }
        return { ...(await runTool(request.params.name, request.body ?? {}, place)), generation, epoch }
      }),
  )

  app.get<InSpace & { Params: { id: string } }>(
    '/v1/spaces/:space/memories/:id/why',
    { config: { scope: 'recall' } },
    (request, reply) =>
      read(reply, async () => {
        const { generation, epoch, views } = await options.reading(placeOf(request).tenant)
        return { ...(await why(request.params.id, keyOf(request), { ...options, views })), generation, epoch }
      }),
  )
  serveFeeds(app, {
    ...options,
    admission: new Admission(limits),
    departureOf,
  })
  return app
}

function serverOf({ requestMs }: GatewayLimits, logger: Logger): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestMs,
    routerOptions: { maxParamLength: maxParameterChars },
    // The guard refuses a request without a host, with problem details; Node would send none.
    http: {
      requireHostHeader: false,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(requestMs, 5_000),
    },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) => answer(error, request as unknown as FastifyRequest, reply),
  }) as unknown as FastifyInstance
  app.server.on('checkExpectation', refuseExpectation)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' })
  })
  app.setErrorHandler<FastifyError>(answer)
  app.setNotFoundHandler((request, reply) => sent(reply, plain(404, `there is no ${request.method} ${request.url}`)))
  return app
}

function answer(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error)
  if (error instanceof AccessRefused) reply.header('www-authenticate', error.challenge)
  if (problem.status >= 500) request.log.error(error)
  if (problem.status === 415) return sent(reply, { ...problem, detail: 'expected a body of type application/json' })
  return sent(reply, problem)
}

function sent(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.status === 503) reply.header('retry-after', retryAfterS)
  return reply.code(problem.status).type('application/problem+json').send(problem)
}

/** Aborts when the connection closes before the answer is sent. */
function departureOf({ raw }: FastifyReply): AbortSignal {
  const departure = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) departure.abort(new RefusedRequest(499, 'the caller left'))
  })
  return departure.signal
}

/** @throws LoomlogError `log-unavailable` after that time; the outcome is then unknown */
async function durableWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const unknown = `the log did not acknowledge this within ${ms} ms: send it again, which has one effect`
  const timer = setTimeout(() => over.abort(new LoomlogError('log-unavailable', unknown)), ms)
  return await untilAborted(work, over.signal).finally(() => clearTimeout(timer))
}

/** Conditions name stages and endpoints: with keys, GET /v1/status shows them to operators only. */
function healthOf({ access, conditions }: GatewayOptions): object {
  return access.isOpen ? { conditions: Object.fromEntries(conditions.current) } : {}
}

function recallPlaceOf(request: FastifyRequest<InSpace>): RecallPlace {
  return { ...placeOf(request), requireSpaces: (spaces) => requireSpaces(request, spaces) }
}
