/** The routes of webhooks: create, list, pause, resume, remove, and replay parked deliveries. A secret is part of one answer, that of the creation. */
import { AddressRule } from '@loomlog/feed/address-rule'
import { webhookRequestFrom } from '@loomlog/feed/webhook-request'
import type { WebhookKeySource } from '@loomlog/feed/webhook-secret'
import {
  changeWebhook,
  createWebhook,
  readWebhooks,
  replayParked,
  shownWebhook,
  type WebhookStore,
  webhookNamed,
} from '@loomlog/feed/webhook-store'
import type { WebhookStatus } from '@loomlog/schemas/events'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf, tenantOf } from '../access/route-access.ts'
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

interface WebhookParts extends WebhookStore, WebhookKeySource {
  readonly webhookNetworks: readonly string[]
}

export function serveWebhooks(app: FastifyInstance, parts: WebhookParts): void {
  const change = (request: FastifyRequest) => ({ tenant: tenantOf(request), by: callerOf(request) })
  const changed = (status: WebhookStatus) => async (request: FastifyRequest<OfWebhook>) =>
    shownWebhook(await changeWebhook(parts, request.params.id, { ...change(request as FastifyRequest), status }))

  const { dir, webhookKey } = parts
  const rule = new AddressRule(parts.webhookNetworks)

  app.post('/v1/webhooks', createRoute, async (request, reply) => {
    const by = { ...change(request), dir, webhookKey }
    const { webhook, secret } = await createWebhook(parts, webhookRequestFrom(request.body, rule), by)
    return reply.code(201).send({ ...shownWebhook(webhook), secret })
  })
  app.get('/v1/webhooks', listRoute, async (request) =>
    (await readWebhooks(parts, tenantOf(request))).map(shownWebhook),
  )
  app.get<OfWebhook>('/v1/webhooks/:id', getRoute, async (request) =>
    shownWebhook(await webhookNamed(parts, tenantOf(request as FastifyRequest), request.params.id)),
  )
  app.post<OfWebhook>('/v1/webhooks/:id/pause', pauseRoute, changed('paused'))
  app.post<OfWebhook>('/v1/webhooks/:id/resume', resumeRoute, changed('enabled'))
  app.delete<OfWebhook>('/v1/webhooks/:id', removeRoute, changed('removed'))
  app.get<OfWebhook>('/v1/webhooks/:id/parked', parkedRoute, async (request) => {
    const { parked } = await webhookNamed(parts, tenantOf(request as FastifyRequest), request.params.id)
    return [...parked.values()]
  })
  app.post<OfWebhook>('/v1/webhooks/:id/replay', replayRoute, async (request, reply) => {
    const { events = null } = (request.body ?? {}) as { readonly events?: readonly string[] }
    const requested = await replayParked(parts, request.params.id, { ...change(request as FastifyRequest), events })
    return reply.code(202).send({ requested })
  })
}
