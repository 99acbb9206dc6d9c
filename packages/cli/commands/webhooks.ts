/** `loomlog webhooks …`: webhooks of a tenant. The service `webhooks` delivers, or a running `loomlog up`. */
import { webhookRequestFrom } from '@loomlog/feed/webhook-request'
import {
  changeWebhook,
  createWebhook,
  readWebhooks,
  replayParked,
  shownWebhook,
  webhookNamed,
} from '@loomlog/feed/webhook-store'
import type { Host } from '@loomlog/host/open'
import type { WebhookStatus } from '@loomlog/schemas/events'
import { count, type Output, print, printable, printJson, table } from '../print.ts'

interface TenantCommand extends Output {
  readonly tenant: string
}

interface ChangeCommand extends TenantCommand {
  readonly by: string
}

export async function webhookCreate(
  { wanted, tenant, by, json }: ChangeCommand & { readonly wanted: object },
  host: Host,
): Promise<void> {
  const { dir, webhooks } = host.config
  const change = { tenant, by, dir, webhookKey: webhooks.key }
  const { webhook, secret } = await createWebhook(host, webhookRequestFrom(wanted), change)
  if (json) return printJson({ ...shownWebhook(webhook), secret })
  print(`webhook ${webhook.id} posts to ${printable(webhook.url)}`)
  print(`its secret, shown this once: ${secret}`)
}

export async function webhookList({ tenant, json }: TenantCommand, host: Host): Promise<void> {
  const found = (await readWebhooks(host, tenant)).map(shownWebhook)
  if (json) return printJson(found)
  if (found.length === 0) return print('there are no webhooks')
  const rows = found.map(({ id, url, status, reason, parked }) => [
    id,
    status,
    count(parked),
    printable(url),
    printable(reason),
  ])
  print(table([['webhook', 'status', 'parked', 'posts to', ''], ...rows]))
}

export async function webhookChange(
  { id, status, tenant, by, json }: ChangeCommand & { readonly id: string; readonly status: WebhookStatus },
  host: Host,
): Promise<void> {
  const webhook = shownWebhook(await changeWebhook(host, id, { tenant, by, status }))
  if (json) return printJson(webhook)
  print(`webhook ${id} is ${status}`)
}

export async function webhookParked(
  { id, tenant, json }: TenantCommand & { readonly id: string },
  host: Host,
): Promise<void> {
  const parked = [...(await webhookNamed(host, tenant, id)).parked.values()]
  if (json) return printJson(parked)
  if (parked.length === 0) return print('no event is parked')
  const rows = parked.map(({ event, partition, offset, attempts, reason }) => [
    event,
    `memory-events/${partition}@${offset}`,
    count(attempts),
    printable(reason),
  ])
  print(table([['event', 'at', 'attempts', ''], ...rows]))
}

export async function webhookReplay(
  { id, events, tenant, by, json }: ChangeCommand & { readonly id: string; readonly events: readonly string[] },
  host: Host,
): Promise<void> {
  const requested = await replayParked(host, id, { tenant, by, events: events.length === 0 ? null : events })
  if (json) return printJson({ requested })
  print(`${count(requested.length)} events are posted again; loomlog webhooks parked ${id} shows those that fail`)
}
