/** The operations on webhooks, over HTTP. The server takes the caller from the key. */
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { WebhookOperations } from '../webhook-operations.ts'

export function serverWebhooks(server: LoomlogClient): WebhookOperations {
  return {
    create: (wanted) => server.post('/v1/webhooks', wanted),
    list: () => server.get('/v1/webhooks'),
    change: (id, command) =>
      command === 'remove' ? server.delete(path`/v1/webhooks/${id}`) : server.post(path`/v1/webhooks/${id}/${command}`),
    parked: (id) => server.get(path`/v1/webhooks/${id}/parked`),
    replay: (id, events) => server.post(path`/v1/webhooks/${id}/replay`, events === null ? {} : { events }),
  }
}
