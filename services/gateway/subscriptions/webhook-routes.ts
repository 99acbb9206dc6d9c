/**
 * The routes of webhooks: create, list, pause, resume, remove, and replay parked deliveries. Only the reply to the
 * creation has the secret.
 */
import { AddressRule } from '@loomlog/feed/address-rule'
import { webhookRequestFrom } from '@loomlog/feed/webhook-request'
import { webhookKey } from '@loomlog/feed/webhook-secret'
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  publicWebhook,
  readWebhooks,
  replayParked,
} from '@loomlog/feed/webhook-store'
import type { Webhook } from '@loomlog/feed/webhooks'
import type { WebhookStatus } from '@loomlog/schemas/events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerNameOrLocal, tenantOf } from '../access/route-access.ts'
import { type PageRequest, pageOf } from '../routes/page-cursor.ts'
import type { RouteParts } from '../routes/route-parts.ts'
import {
  createRoute,
  getRoute,
  listRoute,
  parkedRoute,
  pauseRoute,
  removeRoute,
  replayRoute,
  resumeRoute,
} from './webhook-schema.ts'

type OfWebhook = { Params: { id: string } }
type Replay = OfWebhook & { Body: { readonly events?: readonly string[] } | null }

export function serveWebhooks(app: FastifyInstance, { options, read, deadline }: RouteParts): void {
  const source = { dir: options.dir, webhookKey: options.webhookKey }
  const shown = (webhook: Webhook) => publicWebhook(webhook, webhookKey(source))
  const rule = new AddressRule(options.webhookNetworks)
  const authorOf = (request: FastifyRequest) => ({ tenant: tenantOf(request), by: callerNameOrLocal(request) })
  // Each of them reads the whole topic, a write too. The slot is held until the work ends, also after the deadline.
  const change = <T>(reply: FastifyReply, work: () => Promise<T>) => deadline.change(read(reply, work))
  const named = (request: FastifyRequest<OfWebhook>) =>
    findWebhook(options, tenantOf(request as FastifyRequest), request.params.id)
  const changeStatus = (status: WebhookStatus) => (request: FastifyRequest<OfWebhook>, reply: FastifyReply) =>
    change(reply, async () => {
      const wanted = { ...authorOf(request as FastifyRequest), status }
      const { webhook, position } = await changeWebhook(options, request.params.id, wanted)
      return { ...shown(webhook), position }
    })

  app.post('/v1/webhooks', createRoute, async (request, reply) => {
    const wanted = webhookRequestFrom(request.body, rule)
    const by = { ...authorOf(request), ...source }
    const { webhook, secret, position } = await deadline.append(
      request,
      read(reply, () => createWebhook(options, wanted, by)),
    )
    return reply.code(201).send({ ...shown(webhook), secret, position })
  })
  app.get<{ Querystring: PageRequest }>('/v1/webhooks', listRoute, (request, reply) =>
    read(reply, async () => {
      const tenant = tenantOf(request as FastifyRequest)
      const { items, next } = pageOf(await readWebhooks(options, tenant), request.query, {
        list: `webhooks ${tenant}`,
        types: ['number', 'string'],
        keyOf: ({ createdAt, id }) => [createdAt, id],
      })
      return { webhooks: items.map(shown), next }
    }),
  )
  app.get<OfWebhook>('/v1/webhooks/:id', getRoute, (request, reply) =>
    read(reply, async () => shown(await named(request))),
  )
  app.post<OfWebhook>('/v1/webhooks/:id/pause', pauseRoute, changeStatus('paused'))
  app.post<OfWebhook>('/v1/webhooks/:id/resume', resumeRoute, changeStatus('enabled'))
  app.delete<OfWebhook>('/v1/webhooks/:id', removeRoute, changeStatus('removed'))
  app.get<OfWebhook & { Querystring: PageRequest }>('/v1/webhooks/:id/parked', parkedRoute, (request, reply) =>
    read(reply, async () => {
      const { id, parked } = await named(request as FastifyRequest<OfWebhook>)
      const { items, next } = pageOf([...parked.values()], request.query, {
        list: `parked of ${id}`,
        types: ['number', 'string'],
        keyOf: ({ parkedAt, event }) => [parkedAt, event],
      })
      return { parked: items, next }
    }),
  )
  app.post<Replay>('/v1/webhooks/:id/replay', replayRoute, async (request, reply) => {
    const wanted = { ...authorOf(request as FastifyRequest), events: request.body?.events ?? null }
    const replay = await change(reply, () => replayParked(options, request.params.id, wanted))
    return reply.code(202).send(replay)
  })
}
