/** The operations on webhooks, over HTTP. The server takes the caller from the key. */
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { PublicWebhook } from '@loomlog/feed/webhook-store'
import type { ParkedDelivery } from '@loomlog/feed/webhooks'
import type { WebhookOperations } from './webhook-operations.ts'

export function serverWebhooks(server: LoomlogClient): WebhookOperations {
  return {
    create: (wanted) => server.post('/v1/webhooks', wanted),
    list: async () => (await server.list<PublicWebhook>('/v1/webhooks', 'webhooks')).items,
    change: (id, command) =>
      command === 'remove' ? server.delete(path`/v1/webhooks/${id}`) : server.post(path`/v1/webhooks/${id}/${command}`),
    parked: async (id) => (await server.list<ParkedDelivery>(path`/v1/webhooks/${id}/parked`, 'parked')).items,
    replay: (id, events) => server.post(path`/v1/webhooks/${id}/replay`, events === null ? {} : { events }),
  }
}
