/**
 * Webhooks as the topic `webhooks` describes them: a pure fold of its records. The records of a webhook share a key, so
 * they have one order. A removed webhook stays removed, and a later record of it has no effect.
 */
import type {
  DeliveryParked,
  DeliveryReplayed,
  LogEvent,
  ReplayRequested,
  WebhookCreated,
  WebhookStatus,
  WebhookStatusChanged,
} from '@loomlog/schemas/events'

export const webhooksTopic = 'webhooks'

export type WebhookEvent = WebhookCreated | WebhookStatusChanged | DeliveryParked | ReplayRequested | DeliveryReplayed

export interface ParkedDelivery extends Pick<DeliveryParked, 'event' | 'partition' | 'offset'> {
  readonly reason: string
  readonly attempts: number
  readonly since: number
  readonly parkedAt: number
  /** A replay is requested, and its outcome is not known yet. */
  readonly isReplaying: boolean
}

export interface Webhook extends Pick<WebhookCreated, 'id' | 'tenant' | 'url' | 'spaces' | 'types' | 'start'> {
  readonly secretHash: string
  readonly createdAt: number
  readonly createdBy: string
  readonly status: WebhookStatus
  /** Why it has this status; may be empty. */
  readonly reason: string
  /** By event id, in the order of parking. */
  readonly parked: ReadonlyMap<string, ParkedDelivery>
}

export function isWebhookEvent(event: LogEvent | null): event is WebhookEvent {
  const types = ['WebhookCreated', 'WebhookStatusChanged', 'DeliveryParked', 'ReplayRequested', 'DeliveryReplayed']
  return event !== null && types.includes(event.type)
}

export function webhookIdOf(event: WebhookEvent): string {
  return event.type === 'WebhookCreated' ? event.id : event.webhook
}

/** The webhook after the event; null: it is not created yet. */
export function applyWebhookEvent(webhook: Webhook | null, event: WebhookEvent): Webhook | null {
  if (event.type === 'WebhookCreated') return webhook ?? created(event)
  if (webhook === null || webhook.status === 'removed') return webhook
  switch (event.type) {
    case 'WebhookStatusChanged':
      return { ...webhook, status: event.status, reason: event.reason }
    case 'DeliveryParked': {
      const { event: id, partition, offset, reason, attempts, since, at } = event
      const delivery = { event: id, partition, offset, reason, attempts, since, parkedAt: at, isReplaying: false }
      return { ...webhook, parked: new Map(webhook.parked).set(id, delivery) }
    }
    case 'ReplayRequested': {
      const delivery = webhook.parked.get(event.event)
      if (delivery === undefined) return webhook
      return { ...webhook, parked: new Map(webhook.parked).set(event.event, { ...delivery, isReplaying: true }) }
    }
    case 'DeliveryReplayed':
      return { ...webhook, parked: new Map([...webhook.parked].filter(([id]) => id !== event.event)) }
  }
}

function created({ id, tenant, url, spaces, types, start, secretHash, at, by }: WebhookCreated): Webhook {
  const settings = { id, tenant, url, spaces, types, start, secretHash }
  return { ...settings, createdAt: at, createdBy: by, status: 'enabled', reason: '', parked: new Map() }
}
