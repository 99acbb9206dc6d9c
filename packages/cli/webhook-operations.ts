/** The operations on webhooks of a tenant, on the log of this process; server-webhooks.ts has them over HTTP. */
import { AddressRule } from '@loomlog/feed/address-rule'
import { webhookRequestFrom } from '@loomlog/feed/webhook-request'
import { webhookKey } from '@loomlog/feed/webhook-secret'
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  type PublicWebhook,
  publicWebhook,
  readWebhooks,
  replayParked,
} from '@loomlog/feed/webhook-store'
import type { ParkedDelivery, Webhook } from '@loomlog/feed/webhooks'
import type { Host } from '@loomlog/host/open'
import { checkedAddress, checkedName } from '@loomlog/intake/utterance'
import type { WebhookStatus } from '@loomlog/schemas/events'

export type WebhookStatusAction = 'pause' | 'resume' | 'remove'

interface WithPosition {
  /** After the change, as TOPIC/PARTITION@OFFSET. */
  readonly position: string
}

interface Replay {
  readonly requested: readonly string[]
  readonly position: string | null
}

export interface WebhookOperations {
  /** @param wanted url, spaces, types, from; checked here, or by the server */
  create(wanted: object): Promise<PublicWebhook & WithPosition & { readonly secret: string }>
  list(): Promise<readonly PublicWebhook[]>
  change(id: string, command: WebhookStatusAction): Promise<PublicWebhook & WithPosition>
  parked(id: string): Promise<readonly ParkedDelivery[]>
  /** @param events null: all of them */
  replay(id: string, events: readonly string[] | null): Promise<Replay>
}

const statusAfter = { pause: 'paused', resume: 'enabled', remove: 'removed' } as const satisfies {
  readonly [command in WebhookStatusAction]: WebhookStatus
}

export function webhookOperations(
  host: Host,
  asking: { readonly tenant: string; readonly by: string },
): WebhookOperations {
  const by = {
    tenant: checkedAddress({ tenant: asking.tenant, space: 'any' }).tenant,
    by: checkedName(asking.by, '--by'),
  }
  const { dir, webhooks } = host.config
  const source = { dir, webhookKey: webhooks.key }
  const shown = (webhook: Webhook) => publicWebhook(webhook, webhookKey(source))
  return {
    async create(wanted) {
      const of = { ...by, ...source }
      const { webhook, secret, position } = await createWebhook(
        host,
        webhookRequestFrom(wanted, new AddressRule(webhooks.networks)),
        of,
      )
      return { ...shown(webhook), secret, position }
    },
    list: async () => (await readWebhooks(host, by.tenant)).map(shown),
    async change(id, command) {
      const { webhook, position } = await changeWebhook(host, id, { ...by, status: statusAfter[command] })
      return { ...shown(webhook), position }
    },
    parked: async (id) => [...(await findWebhook(host, by.tenant, id)).parked.values()],
    replay: (id, events) => replayParked(host, id, { ...by, events }),
  }
}
