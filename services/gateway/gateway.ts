/**
 * The HTTP edge: utterances in, evidence out. An append answered with 201 is durable in the log, and the next recall
 * finds it; a wrong field is named with its value and the expected ones, as problem details. A tenant sees and writes
 * its own spaces only. Every route declares the scope that its callers need.
 */
import { AccessRefused } from '@loomlog/access/access-refused'
import { RateLimited } from '@loomlog/access/caller-limits'
import { isLoomlogError, type Problem } from '@loomlog/errors'
import { Intake } from '@loomlog/intake/append'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { auditRequests } from './access/audit.ts'
import { requireScopes, routesOf, tenantCallerIdOf } from './access/route-access.ts'
import { methodsAt } from './allowed-methods.ts'
import { describeApi } from './api-description.ts'
import { AppendDeadline, UnconfirmedWrite } from './append-deadline.ts'
import { endConnectionsOnClose } from './closing-connections.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { measureRequests, serveMetrics } from './http-metrics.ts'
import { traceRequests } from './http-traces.ts'
import { parseJsonOnly } from './json-body.ts'
import { defaultLimits, type GatewayLimits, maxBodyBytes, maxParameterChars } from './limits.ts'
import { problemOf, problemWithStatus } from './problem.ts'
import { type ReadingCaller, ReadSlots } from './read-slots.ts'
import { departureOf } from './reply-close.ts'
import { guardRequests } from './request-guards.ts'
import { withoutQueries } from './request-log.ts'
import { serveCorrections } from './routes/correction-routes.ts'
import { serveDocuments } from './routes/document-routes.ts'
import { serveForgettings } from './routes/forgetting-routes.ts'
import { serveGenerations } from './routes/generation-routes.ts'
import { serveInspector } from './routes/inspector-routes.ts'
import { serveLineage } from './routes/lineage-routes.ts'
import { serveMcp } from './routes/mcp-routes.ts'
import { serveMemories } from './routes/memory-routes.ts'
import { serveParked } from './routes/parked-routes.ts'
import { serveProcess } from './routes/process-routes.ts'
import { serveRecalls } from './routes/recall-routes.ts'
import { serveSpaces } from './routes/space-routes.ts'
import { serveUtterances } from './routes/utterance-routes.ts'
import { SpaceDirectory } from './space-directory.ts'
import { serveFeeds } from './subscriptions/feed-routes.ts'
import { serveWebhooks } from './subscriptions/webhook-routes.ts'
import { refuseExpectation, refuseUnreadable } from './unreadable-request.ts'

/** Retry-After of a temporary refusal, in s. */
const retryAfterS = 1

export function createGateway(options: GatewayOptions): FastifyInstance {
  const limits = { ...defaultLimits, ...options.limits }
  const app = serverOf(limits, options)
  endConnectionsOnClose(app)
  // First, so that refused requests are measured too.
  if (options.metrics !== null) measureRequests(app, options.metrics)
  traceRequests(app)
  requireScopes(app)
  guardRequests(app, options)
  const deadline = new AppendDeadline(limits.appendMs)
  const { access, recalls } = options
  if (access.audit !== null) {
    const recordsOfRecalls = recalls === null ? 'audit' : 'recalls'
    auditRequests(app, { audit: access.audit, recordsOfRecalls, deadline })
  }
  parseJsonOnly(app)
  const intake = new Intake(options)
  app.addHook('onClose', () => intake.close())
  const slots = new ReadSlots(limits)
  const read = <T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>) => slots.run(readerOf(reply), work)
  const directory = new SpaceDirectory(options.log)
  const parts = { options, intake, directory, deadline, read }
  // Reply schemas are documentation: they remove no field from a reply.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  describeApi(app)
  if (options.metrics !== null) serveMetrics(app, options.metrics)
  // Registered after the description, which collects the routes.
  app.register(async (routes) => {
    serveProcess(routes, parts)
    serveUtterances(routes, parts)
    serveCorrections(routes, parts)
    serveForgettings(routes, parts)
    serveRecalls(routes, parts)
    serveMemories(routes, parts)
    serveLineage(routes, parts)
    serveWebhooks(routes, parts)
    serveDocuments(routes, parts)
    serveSpaces(routes, parts)
    serveGenerations(routes, parts)
    serveParked(routes, parts)
    serveMcp(routes)
    if (options.inspector !== null) serveInspector(routes, options.inspector)
    serveFeeds(routes, { ...options, slots: new ReadSlots(limits), readerOf })
  })
  return app
}

function serverOf({ requestMs }: GatewayLimits, { logger, tls, onRetryableError }: GatewayOptions): FastifyInstance {
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = problemOf(error)
    const isRetryable = isLoomlogError(error) && error.retryable
    // A view that is behind is no failure of a part: any unknown id would report it.
    if (isRetryable && problem.status >= 500 && error.code !== 'views-behind') onRetryableError(error)
    if (!isRetryable && problem.status >= 500) request.log.error(error)
    return sendError(error, problem, reply)
  }
  // The guard refuses a request without a host, with problem details; Node would send none.
  const server = {
    requireHostHeader: false,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(requestMs, 5_000),
  }
  const app = Fastify({
    loggerInstance: withoutQueries(logger),
    bodyLimit: maxBodyBytes,
    requestTimeout: requestMs,
    routerOptions: { maxParamLength: maxParameterChars },
    ...(tls === null
      ? { http: server }
      : { https: { ...server, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: tlsHandshakeMs } }),
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) => answer(error, request as unknown as FastifyRequest, reply),
  }) as unknown as FastifyInstance
  app.server.on('checkExpectation', refuseExpectation)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' })
  })
  app.setErrorHandler<FastifyError>(answer)
  app.setNotFoundHandler((request, reply) => refuseRoute(request, reply, methodsAt(request.url, routesOf(app))))
  return app
}

function sendError(error: unknown, problem: Problem, reply: FastifyReply): FastifyReply {
  if (error instanceof RateLimited) reply.header('retry-after', error.retryAfterS)
  if (error instanceof AccessRefused) reply.header('www-authenticate', error.challenge)
  if (problem.status === 415) return send(reply, { ...problem, detail: 'expected a body of type application/json' })
  return send(reply, problem, error instanceof UnconfirmedWrite ? error.advice : 'repeat')
}

function refuseRoute({ method, url }: FastifyRequest, reply: FastifyReply, methods: readonly string[]): FastifyReply {
  if (methods.length === 0) return send(reply, problemWithStatus(404, `there is no ${method} ${url}`))
  const allowed = methods.join(', ')
  return send(
    reply.header('allow', allowed),
    problemWithStatus(405, `${method} is not possible here: expected ${allowed}`),
  )
}

function send(reply: FastifyReply, problem: Problem, advice: UnconfirmedWrite['advice'] = 'repeat'): FastifyReply {
  if (problem.status === 503 && advice === 'repeat') reply.header('retry-after', retryAfterS)
  return reply.code(problem.status).type('application/problem+json').send(problem)
}

/** Timeout of a TLS handshake. It also bounds how long closing waits for one. */
const tlsHandshakeMs = 4_000

function readerOf(reply: FastifyReply): ReadingCaller {
  return { name: tenantCallerIdOf(reply.request), departure: departureOf(reply) }
}
