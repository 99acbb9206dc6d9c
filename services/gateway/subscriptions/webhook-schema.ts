/** The routes of webhooks, as declarations for the API reference. */
import { cloudEventTypes } from '@loomlog/schemas/cloud-events'
import { topicPosition, topicPositionOrNull } from '../routes/append-replies.ts'
import { nextCursor, pageParameters } from '../routes/page-cursor.ts'
import { apiRoute, choice, integer, list, object, orNull, type RouteDeclaration, text } from '../routes/route-schema.ts'

const common = { scope: 'administer', tag: 'subscribe' } as const
const params = { id: text('The id of the webhook.') }

const properties = {
  id: text('The id of the webhook.'),
  tenant: text('The tenant of the webhook.'),
  url: text('The address that events are posted to.'),
  spaces: orNull(list(text(''), 'Only events of these spaces; null: of every space.')),
  types: orNull(list(text(''), 'Only events of these types; null: of every type.')),
  status: choice(
    ['enabled', 'no-key', 'paused', 'disabled', 'removed'],
    '`no-key`: it is enabled, but this server lacks the webhook key, so events wait. `disabled`: the receiver fails or is gone.',
  ),
  reason: text('Why it has this status; may be empty.'),
  createdAt: integer('When it was created, in ms since 1970.'),
  createdBy: text('The caller that created it.'),
  parked: integer('The number of parked events, which the receiver did not accept.'),
}
const webhook = object(properties)
const changed = { ...properties, position: topicPosition }

const parked = object({
  event: text('The id of the event.'),
  partition: integer('The partition of the event in `memory-events`.'),
  offset: integer('The offset of the event in this partition.'),
  reason: text("The receiver's answer, or why there was none."),
  attempts: integer('The number of attempts.'),
  since: integer('When it was first posted, in ms since 1970.'),
  parkedAt: integer('When it was parked, in ms since 1970.'),
  isReplaying: { type: 'boolean', description: 'Whether a replay is requested.' },
})

function webhookRoute(
  route: Pick<RouteDeclaration, 'id' | 'summary' | 'about'>,
  fields: Parameters<typeof object>[0] = changed,
) {
  return apiRoute({ ...common, ...route, params, replies: { 200: { description: 'The webhook.', ...object(fields) } } })
}

export const createRoute = apiRoute({
  ...common,
  id: 'createWebhook',
  summary: 'Create a webhook',
  parsed: ['body'],
  about:
    'Posts the events of the feed to an address, by Standard Webhooks. The reply shows the secret, once. The same request by the same caller within 10 minutes is a retry: it has the same reply.',
  body: object(
    {
      url: text('An http or https address, which is public or in a network that the server allows.'),
      spaces: orNull(list(text(''), 'Only events of these spaces. Default: of every space of the tenant.')),
      types: orNull(list(choice(cloudEventTypes, ''), 'Only events of these types. Default: of every type.')),
      from: {
        ...choice(['now', 'beginning'], '`beginning`: posts the whole feed first. `now`: only later events.'),
        default: 'now',
      },
    },
    ['url'],
  ),
  replies: {
    201: { description: 'The webhook.', ...object({ ...changed, secret: text('`whsec_…`, shown this once.') }) },
  },
})

export const listRoute = apiRoute({
  ...common,
  id: 'listWebhooks',
  summary: 'List webhooks',
  about: 'The webhooks of the tenant, in the order of their creation.',
  query: pageParameters,
  replies: { 200: object({ webhooks: list(webhook), next: nextCursor }) },
})

export const getRoute = webhookRoute({ id: 'getWebhook', summary: 'Get a webhook' }, properties)
export const pauseRoute = webhookRoute({ id: 'pauseWebhook', summary: 'Pause a webhook' })
export const resumeRoute = webhookRoute({
  id: 'resumeWebhook',
  summary: 'Resume a paused or disabled webhook',
  about: 'The webhook continues at its position: it posts the events that came meanwhile.',
})
export const removeRoute = webhookRoute({ id: 'removeWebhook', summary: 'Remove a webhook' })

export const parkedRoute = apiRoute({
  ...common,
  id: 'listParkedDeliveries',
  summary: 'List the events that a receiver did not accept',
  params,
  about: 'In the order of parking.',
  query: pageParameters,
  replies: { 200: object({ parked: list(parked), next: nextCursor }) },
})

export const replayRoute = apiRoute({
  ...common,
  id: 'replayDeliveries',
  summary: 'Post parked events again',
  params,
  about: 'Without a body, all parked events are posted. An event that fails stays parked, with the new reason.',
  body: {
    type: ['object', 'null'],
    properties: { events: list(text(''), 'Ids of parked events.') },
    additionalProperties: false,
  },
  replies: {
    202: {
      description: 'The replay is requested.',
      ...object({
        requested: list(text('The id of an event.'), 'Ids of the events to replay.'),
        position: topicPositionOrNull('no event is parked'),
      }),
    },
  },
})
