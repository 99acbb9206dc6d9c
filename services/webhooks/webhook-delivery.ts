/**
 * Delivers the events of one webhook: one at a time, in the order of the feed, from its position on. It works in turns.
 * A turn takes one of the process's delivery slots, and between turns it has none. The position moves only behind
 * accepted and parked events, so after a kill an event may be posted again, and none is skipped.
 */
import { isLoomlogError } from '@loomlog/errors'
import { type FeedMessage, messageAt } from '@loomlog/feed/feed-message'
import { FeedReader, type FeedReaderOptions } from '@loomlog/feed/feed-reader'
import { keyFault, openedSecret } from '@loomlog/feed/webhook-secret'
import type { ParkedDelivery, WebhookEvent } from '@loomlog/feed/webhooks'
import type { CloudEventType } from '@loomlog/schemas/cloud-events'
import type { WebhookStatus } from '@loomlog/schemas/events'
import { deliverySpan } from '@loomlog/telemetry/delivery-span'
import { type Span, withActiveSpan } from '@loomlog/telemetry/spans'
import type { DeliveryOutcome, DeliveryRequests } from './delivery-request.ts'
import type { DeliverySlots } from './delivery-slots.ts'
import type { KeyWaits } from './key-waits.ts'
import { type DeliveryHealth, decideAfterFailure } from './retry-schedule.ts'
import type { WebhookLimits } from './webhook-limits.ts'
import type { WebhookState } from './webhook-state.ts'

export interface Clock {
  /** In ms since the epoch. */
  now(): number
  /** Returns early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface DeliveryParts extends FeedReaderOptions {
  readonly requests: DeliveryRequests
  readonly slots: DeliverySlots
  readonly webhookLimits: WebhookLimits
  readonly clock: Clock
  /** The deployment's webhook key; null: there is none. */
  webhookKey(): string | null
  readonly keyWaits: KeyWaits
  /** Reports that a webhook fails. */
  onFailing(webhook: string, failure: WebhookFailure): void
  /** Reports that the webhook no longer fails, or is delivered elsewhere. May be repeated. */
  onOver(webhook: string, text: string): void
}

export interface WebhookFailure {
  readonly kind: 'the receiver fails' | 'it is disabled'
  /** Includes the receiver's reply. */
  readonly text: string
}

/** The journal of a webhook, by its lease: the lease commits the state and the records together. */
export interface DeliveryJournal {
  readonly state: WebhookState
  move(progress: Partial<Pick<WebhookState, 'positions'> & DeliveryHealth>): void
  /** Moves the positions behind records that are not for the webhook. Such positions are committed less often. */
  pass(positions: readonly number[]): void
  record(event: WebhookEvent): void
}

/** Longest wait for new events. Then the feed is read again, since a waiting webhook has no other timer. */
const longestWaitMs = 60_000
/** Poll interval while this process lacks the webhook key. */
const noKeyMs = 10_000
const actor = 'webhooks'
/** The outcome of a replay if the feed was derived again, such as in a copied log. */
const eventMissing: DeliveryOutcome = {
  kind: 'failed',
  reason: 'the feed no longer has the event under this id: it was derived again, and posts it under a new one',
  retryAfterMs: null,
}

export class WebhookDelivery {
  readonly #journal: DeliveryJournal
  readonly #parts: DeliveryParts
  readonly #reader: FeedReader
  #waking = new AbortController()
  #lastRequestMs = 0

  constructor(journal: DeliveryJournal, parts: DeliveryParts) {
    this.#journal = journal
    this.#parts = parts
    const { tenant, spaces, types } = journal.state.webhook
    const scope = { tenant, spaces, types: types && new Set(types as readonly CloudEventType[]) }
    this.#reader = new FeedReader(scope, parts)
  }

  /** Returns when the signal aborts, or when the webhook is disabled. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#deliverAll(signal).finally(() => this.#parts.keyWaits.end(this.#journal.state.webhook.id))
  }

  async #deliverAll(signal: AbortSignal): Promise<void> {
    const { clock, slots, webhookLimits } = this.#parts
    while (!signal.aborted && this.#journal.state.webhook.status === 'enabled') {
      const { failing } = this.#journal.state
      if (failing !== null) await clock.sleep(failing.nextAt - clock.now(), this.#untilReplay(signal))
      const secret = this.#secret()
      if (secret === null) await clock.sleep(noKeyMs, signal)
      else {
        const isTroubled = failing !== null || this.#lastRequestMs > webhookLimits.slowMs
        const work = () => this.#turn(secret, signal)
        const isUpToDate = await slots.run(isTroubled ? 'troubled' : 'steady', signal, work).catch((error) => {
          if (signal.aborted) return false
          if (!isLoomlogError(error, 'log-replaced')) throw error
          this.#disable(error.message)
          return false
        })
        if (isUpToDate) await this.#reader.changed(this.#position(), longestWaitMs, this.#untilReplay(signal))
      }
    }
  }

  /** Ends the wait for new events or for a retry, so that a requested replay starts. */
  wake(): void {
    this.#waking.abort()
  }

  #untilReplay(signal: AbortSignal): AbortSignal {
    this.#waking = new AbortController()
    if (this.#replays().length > 0) this.#waking.abort()
    return AbortSignal.any([signal, this.#waking.signal])
  }

  /** Returns whether the webhook has reached the end of the feed. */
  async #turn(secret: string, signal: AbortSignal): Promise<boolean> {
    const { clock, webhookLimits } = this.#parts
    const endsAt = clock.now() + webhookLimits.turnMs
    for (const parked of this.#replays()) {
      await this.#replay(parked, secret, signal)
      if (clock.now() > endsAt) return false
    }
    // A replay doesn't end the backoff.
    if ((this.#journal.state.failing?.nextAt ?? 0) > clock.now()) return false
    const chunk = await this.#reader.read(this.#position(), signal)
    for (const message of chunk.messages) {
      if (!(await this.#deliver(message, secret, signal))) return false
      if (clock.now() > endsAt) return false
    }
    this.#journal.pass(this.#positionsAt(chunk.next))
    return chunk.isUpToDate
  }

  /** Returns whether the next event may follow. */
  async #deliver(message: FeedMessage, secret: string, signal: AbortSignal): Promise<boolean> {
    const { outcome, span } = await this.#post(message, secret, signal)
    // Log lines about the outcome carry the trace.
    return withActiveSpan(span, () => this.#settle(message, outcome))
  }

  #settle(message: FeedMessage, outcome: DeliveryOutcome): boolean {
    if (outcome.kind === 'accepted') {
      const { id } = this.#journal.state.webhook
      this.#parts.onOver(id, `webhook ${id} delivers again`)
      this.#journal.move({ positions: this.#positionsAfter(message), failing: null, isAfterParked: false })
      return true
    }
    if (outcome.kind === 'gone') this.#disable(outcome.reason)
    else this.#afterFailure(message, outcome.reason, outcome.retryAfterMs)
    return false
  }

  #afterFailure(message: FeedMessage, reason: string, retryAfterMs: number | null): void {
    const { clock, webhookLimits, onFailing, onOver } = this.#parts
    const { webhook } = this.#journal.state
    const failure = { event: message.id, reason, retryAfterMs, now: clock.now(), random: Math.random() }
    const { kind, failing } = decideAfterFailure(this.#journal.state, failure, webhookLimits)
    if (kind === 'disable') {
      this.#disable(`several events in a row fail: ${reason}`)
      return
    }
    if (kind === 'park') {
      const { event, attempts, since } = failing
      const { partition, offset } = message
      const delivery = {
        webhook: webhook.id,
        tenant: webhook.tenant,
        event,
        partition,
        offset,
        reason,
        attempts,
        since,
      }
      this.#journal.move({ positions: this.#positionsAfter(message), failing: null, isAfterParked: true })
      this.#journal.record({ type: 'DeliveryParked', ...delivery, at: failure.now, keyId: null })
      // Until the next event fails: there may be none.
      onOver(webhook.id, `webhook ${webhook.id} parked the event ${event}, and continues with the next one`)
      return
    }
    this.#journal.move({ failing })
    const next = new Date(failing.nextAt).toISOString()
    const text = `webhook ${webhook.id} fails (${failing.attempts} attempts): ${reason}; next attempt at ${next}`
    onFailing(webhook.id, { kind: 'the receiver fails', text })
  }

  /** Posts a parked event once. If that fails, the event stays parked, with the new reason. */
  async #replay(parked: ParkedDelivery, secret: string, signal: AbortSignal): Promise<void> {
    const { id: webhook, tenant } = this.#journal.state.webhook
    const { clock, log, codec, tail } = this.#parts
    const found = await messageAt({ ...parked, id: parked.event, tenant }, log, codec)
    const [message = null] = await tail.withoutVoid(found === null ? [] : [found])
    const { outcome } = message === null ? { outcome: eventMissing } : await this.#post(message, secret, signal)
    const common = { webhook, tenant, event: parked.event, at: clock.now() }
    const { partition, offset, since } = parked
    if (outcome.kind === 'accepted') this.#journal.record({ type: 'DeliveryReplayed', ...common })
    else {
      const failed = { partition, offset, since, reason: outcome.reason, attempts: parked.attempts + 1 }
      this.#journal.record({ type: 'DeliveryParked', ...common, ...failed, keyId: null })
    }
  }

  async #post(
    { id, json, traceparent }: FeedMessage,
    secret: string,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: DeliveryOutcome; readonly span: Span | null }> {
    const { clock, requests } = this.#parts
    const { id: webhook, url } = this.#journal.state.webhook
    const span = deliverySpan({ webhook, url, traceparent })
    const trace = span === null ? {} : { traceparent: span.traceparent }
    const startedAt = performance.now()
    try {
      const outcome = await requests.post({ url, secret, id, body: json, at: clock.now(), ...trace }, signal)
      this.#lastRequestMs = performance.now() - startedAt
      if (outcome.kind !== 'accepted') span?.fail(outcome.kind)
      return { outcome, span }
    } finally {
      span?.end()
    }
  }

  #disable(reason: string): void {
    const { id: webhook, tenant } = this.#journal.state.webhook
    const common = { tenant, by: actor, at: this.#parts.clock.now(), keyId: null }
    const status: WebhookStatus = 'disabled'
    const text = `webhook ${webhook} is disabled: ${reason}; loomlog webhooks resume continues it`
    this.#parts.onFailing(webhook, { kind: 'it is disabled', text })
    this.#journal.record({ type: 'WebhookStatusChanged', webhook, status, reason, ...common })
  }

  /** Null if this process lacks the webhook key that the webhook was made with. This is reported. */
  #secret(): string | null {
    const { webhook } = this.#journal.state
    const key = this.#parts.webhookKey()
    const secret = openedSecret(key, webhook)
    if (secret === null) this.#parts.keyWaits.begin(webhook.id, keyFault(key))
    else this.#parts.keyWaits.end(webhook.id)
    return secret
  }

  #replays(): readonly ParkedDelivery[] {
    return [...this.#journal.state.webhook.parked.values()].filter(({ isReplaying }) => isReplaying)
  }

  #position(): readonly number[] {
    const { positions } = this.#journal.state
    return this.#reader.partitions.map((partition) => positions[partition] ?? 0)
  }

  #positionsAt(next: readonly number[]): readonly number[] {
    const nextByPartition = new Map(this.#reader.partitions.map((partition, index) => [partition, next[index] ?? 0]))
    return this.#journal.state.positions.map((offset, partition) => nextByPartition.get(partition) ?? offset)
  }

  #positionsAfter({ partition, offset }: FeedMessage): readonly number[] {
    return this.#journal.state.positions.with(partition, offset + 1)
  }
}
