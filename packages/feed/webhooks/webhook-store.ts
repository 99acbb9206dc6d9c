/** Reads and writes the topic `webhooks`: create, list, pause, resume, remove, and replay parked deliveries. */
import { LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { WebhookStatus } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { feedTopic } from '../feed-message.ts'
import type { WebhookRequest } from './webhook-request.ts'
import {
  ensureWebhookKey,
  keyFault,
  openedSecret,
  secretHash,
  secretOf,
  type WebhookKeySource,
  webhookKey,
} from './webhook-secret.ts'
import {
  applyWebhookEvent,
  isWebhookEvent,
  type Webhook,
  type WebhookEvent,
  webhookIdOf,
  webhooksTopic,
} from './webhooks.ts'

export interface WebhookStore {
  readonly log: Pick<Log, 'read' | 'append' | 'endOffsets'>
  readonly codec: Codec
}

/** Webhooks of a tenant; a further one is refused. */
const maxWebhooks = 1_000
/** A repeated request to create a webhook counts as a retry for this long. */
const retryMs = 600_000
/** Attempts to create a webhook. */
const maxTries = 8

/** The key that orders the records of a webhook. */
export function webhookKeyOf(tenant: string, id: string): string {
  return `${tenant}/${id}`
}

/** Every webhook that is not removed, by creation. @param tenant null: of every tenant */
export async function readWebhooks(store: WebhookStore, tenant: string | null): Promise<readonly Webhook[]> {
  return (await everyWebhook(store, tenant)).webhooks.filter(isPresent)
}

function isPresent({ status }: Webhook): boolean {
  return status !== 'removed'
}

/** @returns also the position after the creation of each, by key */
async function everyWebhook({ log, codec }: WebhookStore, tenant: string | null) {
  const found = new Map<string, Webhook>()
  const creations = new Map<string, string>()
  for await (const records of log.read({ topic: webhooksTopic, until: 'end' })) {
    for (const { key, value, partition, offset } of records) {
      const event = await codec.decodeOrNull(value)
      if (!isWebhookEvent(event) || key !== webhookKeyOf(event.tenant, webhookIdOf(event))) continue
      if (tenant !== null && event.tenant !== tenant) continue
      const webhook = applyWebhookEvent(found.get(key) ?? null, event)
      if (webhook !== null) found.set(key, webhook)
      if (event.type === 'WebhookCreated' && !creations.has(key)) creations.set(key, positionAfter(partition, offset))
    }
  }
  const webhooks = [...found.values()].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  return { webhooks, creations }
}

function positionAfter(partition: number, offset: number): string {
  return `${webhooksTopic}/${partition}@${offset + 1}`
}

/** @throws LoomlogError `not-found` */
export async function findWebhook(store: WebhookStore, tenant: string, id: string): Promise<Webhook> {
  const found = (await readWebhooks(store, tenant)).find((webhook) => webhook.id === id)
  if (found === undefined) throw new LoomlogError('not-found', `there is no webhook ${JSON.stringify(id.slice(0, 80))}`)
  return found
}

/**
 * A webhook as its owner sees it: without the hash of its secret, and with the number of parked events. `no-key`: it is
 * enabled, and can't be signed with this key, so its events wait.
 */
export function publicWebhook(webhook: Webhook, key: string | null): PublicWebhook {
  const { secretHash: _hash, start: _start, parked, ...shown } = webhook
  const isWaiting = webhook.status === 'enabled' && openedSecret(key, webhook) === null
  return { ...shown, ...(isWaiting && { status: 'no-key', reason: keyFault(key) }), parked: parked.size }
}

export interface PublicWebhook extends Omit<Webhook, 'secretHash' | 'start' | 'parked' | 'status'> {
  readonly status: WebhookStatus | 'no-key'
  readonly parked: number
}

interface Change {
  readonly tenant: string
  /** The caller. */
  readonly by: string
}

/**
 * Creates a webhook, and returns its secret, which is not shown later, and the position after its creation. A request
 * that the same caller repeats within `retryMs` counts as a retry after a lost reply: it returns the webhook of the
 * first request, with its secret.
 * Concurrent equal requests, in any process, have the same id, and the first in the log wins. The processes must share
 * the webhook key: with another key, a process takes an equal request for a new one.
 * @throws LoomlogError `input-invalid` beyond the number of webhooks of a tenant; `config-invalid` if the key of other
 * webhooks is missing; `overloaded` after `maxTries`
 */
export async function createWebhook(
  store: WebhookStore,
  request: WebhookRequest,
  { tenant, by, ...source }: Change & WebhookKeySource,
): Promise<{ readonly webhook: Webhook; readonly secret: string; readonly position: string }> {
  const { url, spaces, types, from } = request
  // A new key beside webhooks that were made with a lost one would hide the loss.
  if (webhookKey(source) === null && (await readWebhooks(store, null)).length > 0)
    throw new LoomlogError('config-invalid', keyFault(null))
  const key = ensureWebhookKey(source)
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { webhooks: all, creations } = await everyWebhook(store, tenant)
    const { latest, nextId } = equalWebhooks(all, request, { tenant, by })
    // Another webhook key gives another secret: then it is no retry.
    const known = latest && isRecent(latest) ? openedSecret(key, latest) : null
    if (latest && known) {
      const position = creations.get(webhookKeyOf(tenant, latest.id)) ?? ''
      return { webhook: latest, secret: known, position }
    }
    if (all.filter(isPresent).length >= maxWebhooks)
      throw new LoomlogError('input-invalid', `the tenant has ${maxWebhooks} webhooks: remove one first`)
    const ends = await store.log.endOffsets(feedTopic)
    const start = from === 'now' ? ends : ends.map(() => 0)
    const settings = { id: nextId, tenant, url, spaces, types, start, secretHash: secretHash(secretOf(key, nextId)) }
    await append(store, { type: 'WebhookCreated', ...settings, by, at: Date.now(), keyId: null })
    // Read again: another process may have been first.
  }
  const shared = 'check that all gateways have the same LOOMLOG_WEBHOOK_KEY or share the folder, and send it again'
  throw new LoomlogError(
    'overloaded',
    `${maxTries} times, another process changed the webhook to ${url} first: ${shared}`,
  )
}

function isRecent({ status, createdAt }: Webhook): boolean {
  return status === 'enabled' && Date.now() - createdAt < retryMs
}

/** Webhooks of equal requests by one caller are numbered: returns the last one, and the id of the next. */
function equalWebhooks(
  all: readonly Webhook[],
  { url, spaces, types, from }: WebhookRequest,
  { tenant, by }: Change,
): { readonly latest: Webhook | null; readonly nextId: string } {
  const byId = new Map(all.map((webhook) => [webhook.id, webhook]))
  for (let number = 0, latest: Webhook | null = null; ; number += 1) {
    const id = hash(['webhook', tenant, by, url, spaces, types, from, number])
    const webhook = byId.get(id)
    if (webhook === undefined) return { latest, nextId: id }
    latest = webhook
  }
}

/** @throws LoomlogError `not-found` */
export async function changeWebhook(
  store: WebhookStore,
  id: string,
  { tenant, by, status, reason = '' }: Change & { readonly status: WebhookStatus; readonly reason?: string },
): Promise<{ readonly webhook: Webhook; readonly position: string }> {
  const webhook = await findWebhook(store, tenant, id)
  const at = { tenant, by, at: Date.now(), keyId: null }
  const event: WebhookEvent = { type: 'WebhookStatusChanged', webhook: id, status, reason, ...at }
  const position = await append(store, event)
  return { webhook: applyWebhookEvent(webhook, event) as Webhook, position }
}

/**
 * Requests that parked events are posted again. Returns their ids, and the position after the last request.
 * @param events null: all of them
 * @throws LoomlogError `not-found`
 */
export async function replayParked(
  store: WebhookStore,
  id: string,
  { tenant, by, events }: Change & { readonly events: readonly string[] | null },
): Promise<{ readonly requested: readonly string[]; readonly position: string | null }> {
  const { parked } = await findWebhook(store, tenant, id)
  const wanted = events ?? [...parked.keys()]
  const unknown = wanted.find((event) => !parked.has(event))
  if (unknown !== undefined)
    throw new LoomlogError('not-found', `the webhook has no parked event ${JSON.stringify(unknown.slice(0, 80))}`)
  let position: string | null = null
  for (const event of wanted)
    position = await append(store, {
      type: 'ReplayRequested',
      webhook: id,
      event,
      tenant,
      by,
      at: Date.now(),
      keyId: null,
    })
  return { requested: wanted, position }
}

/** Returns the position after the record. */
async function append({ log, codec }: WebhookStore, event: WebhookEvent): Promise<string> {
  const key = webhookKeyOf(event.tenant, webhookIdOf(event))
  const record = { key, value: codec.encode(event), timestamp: event.at }
  const [at = { partition: 0, offset: 0 }] = await log.append(webhooksTopic, [record])
  return positionAfter(at.partition, at.offset)
}
