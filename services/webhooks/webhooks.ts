/**
 * Posts the feed to the addresses that tenants name, by Standard Webhooks. The process leases partitions of the topic
 * `webhooks`, so one process delivers the events of a webhook. A lost lease ends its deliveries; the next owner
 * continues at the committed positions.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AddressRule } from '@loomlog/feed/address-rule'
import { defaultFeedReadLimits } from '@loomlog/feed/feed-limits'
import { memoryEvents } from '@loomlog/feed/feed-message'
import { FeedTail, type FeedTailOptions } from '@loomlog/feed/feed-tail'
import { type WebhookKeySource, webhookKey } from '@loomlog/feed/webhook-secret'
import { webhooksTopic } from '@loomlog/feed/webhooks'
import type { Log, Membership } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { DeliveryRequests, type Resolve } from './delivery-request.ts'
import { DeliverySlots } from './delivery-slots.ts'
import { type KeyReports, KeyWaits } from './key-waits.ts'
import type { Clock, WebhookFailure } from './webhook-delivery.ts'
import { WebhookLease } from './webhook-lease.ts'
import { defaultWebhookLimits, type WebhookLimits } from './webhook-limits.ts'

export interface WebhooksOptions extends WebhookKeySource, KeyReports, Pick<FeedTailOptions, 'beginningOf'> {
  readonly log: Pick<Log, 'join' | 'read' | 'endOffsets'>
  readonly codec: Codec
  /** Partitions of `memory-events`. */
  readonly partitions: number
  /** Networks beside the public ones that may be reached, in CIDR notation. */
  readonly networks: readonly string[]
  readonly limits?: Partial<WebhookLimits>
  readonly clock?: Clock
  readonly resolve?: Resolve
  readonly sessionMs?: number
  /** Ends the deliveries, also during the join. */
  readonly signal?: AbortSignal
  /** Reports that a webhook fails. */
  onFailing(webhook: string, failure: WebhookFailure): void
  /** Reports that the webhook no longer fails, or is delivered elsewhere. May be repeated. */
  onOver(webhook: string, text: string): void
  onError(error: unknown): void
}

const webhooksGroup = 'webhooks'

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {})
  },
}

export async function startWebhooks(options: WebhooksOptions): Promise<Membership> {
  const { log, codec, partitions, onFailing, onOver, onError, clock = systemClock } = options
  const { beginningOf } = options
  const webhookLimits = { ...defaultWebhookLimits, ...options.limits }
  const rule = new AddressRule(options.networks)
  const limits = defaultFeedReadLimits
  const tail = new FeedTail({ topic: memoryEvents, log, codec, limits, beginningOf, onRetryableError: onError })
  const requests = new DeliveryRequests({
    rule,
    limits: webhookLimits,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  })
  const parts = {
    log,
    codec,
    tail,
    partitions,
    limits,
    webhookLimits,
    requests,
    clock,
    onFailing,
    onOver,
    slots: new DeliverySlots(webhookLimits),
    webhookKey: () => webhookKey(options),
    keyWaits: new KeyWaits(options),
    onRetryableError: onError,
    // Reads are part of turns, which the slots limit.
    admit: <T>(_signal: AbortSignal, work: () => Promise<T>) => work(),
  }
  const membership = await log.join({
    group: webhooksGroup,
    topic: webhooksTopic,
    ...(options.sessionMs === undefined ? {} : { sessionMs: options.sessionMs }),
    onLease: (lease) => new WebhookLease(lease, parts).run(),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onError,
  })
  return {
    get heldPartitions() {
      return membership.heldPartitions
    },
    async close() {
      await membership.close()
      await tail.close()
      requests.close()
    },
  }
}
