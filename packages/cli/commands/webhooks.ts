/** `loomlog webhooks …`: webhooks of a tenant. The service `webhooks` delivers, or a running `loomlog up`. */
import { cell, count, type Output, print, printJson, table } from '../print.ts'
import type { WebhookOperations, WebhookStatusAction } from '../webhook-operations.ts'

export async function webhookCreate(wanted: object, { json }: Output, operations: WebhookOperations): Promise<void> {
  const webhook = await operations.create(wanted)
  if (json) return printJson(webhook)
  print(`webhook ${webhook.id} posts to ${cell(webhook.url)}`)
  print(`its secret, shown this once: ${webhook.secret}`)
}

export async function webhookList({ json }: Output, operations: WebhookOperations): Promise<void> {
  const found = await operations.list()
  if (json) return printJson(found)
  if (found.length === 0) return print('there are no webhooks')
  const rows = found.map(({ id, url, status, reason, parked }) => [id, status, count(parked), url, reason])
  print(table([['webhook', 'status', 'parked', 'posts to', ''], ...rows]))
}

export async function webhookChange(
  { id, command, json }: Output & { readonly id: string; readonly command: WebhookStatusAction },
  operations: WebhookOperations,
): Promise<void> {
  const webhook = await operations.change(id, command)
  if (json) return printJson(webhook)
  print(`webhook ${id} is ${webhook.status}`)
}

export async function webhookParked(
  { id, json }: Output & { readonly id: string },
  operations: WebhookOperations,
): Promise<void> {
  const parked = await operations.parked(id)
  if (json) return printJson(parked)
  if (parked.length === 0) return print('no event is parked')
  const rows = parked.map(({ event, partition, offset, attempts, reason }) => [
    event,
    `memory-events/${partition}@${offset}`,
    count(attempts),
    reason,
  ])
  print(table([['event', 'at', 'attempts', ''], ...rows]))
}

export async function webhookReplay(
  { id, events, json }: Output & { readonly id: string; readonly events: readonly string[] },
  operations: WebhookOperations,
): Promise<void> {
  const replayed = await operations.replay(id, events.length === 0 ? null : events)
  if (json) return printJson(replayed)
  print(
    `${count(replayed.requested.length)} events are posted again; loomlog webhooks parked ${id} shows those that fail`,
  )
}
