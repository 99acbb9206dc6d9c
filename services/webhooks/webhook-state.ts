/**
 * The keyed state of one partition of `webhooks`: each webhook's settings, its positions in the feed, and its failing
 * event.
 */
import { webhookKeyOf } from '@loomlog/feed/webhook-store'
import type { ParkedDelivery, Webhook } from '@loomlog/feed/webhooks'
import type { StateChange, StateReader } from '@loomlog/log/port'
import type { DeliveryHealth } from './retry-schedule.ts'

/** A webhook with its progress. */
export interface WebhookState extends DeliveryHealth {
  readonly webhook: Webhook
  /** The next offset to deliver, by partition of `memory-events`. */
  readonly positions: readonly number[]
}

interface StoredState extends Omit<WebhookState, 'webhook'> {
  readonly webhook: Omit<Webhook, 'parked'> & { readonly parked: readonly ParkedDelivery[] }
}

const prefix = 'webhook/'
const all = Number.MAX_SAFE_INTEGER
const decoder = new TextDecoder()
const encoder = new TextEncoder()

export function storedWebhooks(state: StateReader): readonly WebhookState[] {
  return state.range(prefix, all).map(([, value]) => {
    const { webhook, ...progress } = JSON.parse(decoder.decode(value)) as StoredState
    const parked = new Map(webhook.parked.map((delivery) => [delivery.event, delivery]))
    return { ...progress, webhook: { ...webhook, parked } }
  })
}

/** The state of a removed webhook is deleted. */
export function stateChangeOf({ webhook, ...progress }: WebhookState): StateChange {
  const key = `${prefix}${webhookKeyOf(webhook.tenant, webhook.id)}`
  if (webhook.status === 'removed') return { key, value: null }
  const stored: StoredState = { ...progress, webhook: { ...webhook, parked: [...webhook.parked.values()] } }
  return { key, value: encoder.encode(JSON.stringify(stored)) }
}
