/**
 * The webhooks of one partition, for the time of its lease: reads their records, runs the delivery of each that is
 * enabled, and commits their positions with the records that deliveries write.
 */
import { isLoomlogError } from '@loomlog/errors'
import { webhookKeyOf } from '@loomlog/feed/webhook-store'
import {
  applyWebhookEvent,
  isWebhookEvent,
  type WebhookEvent,
  webhookIdOf,
  webhooksTopic,
} from '@loomlog/feed/webhooks'
import type { Lease, LogRecord, Output } from '@loomlog/log/port'
import { type DeliveryParts, WebhookDelivery } from './webhook-delivery.ts'
import { stateChangeOf, storedWebhooks, type WebhookState } from './webhook-state.ts'

const maxPolled = 500
/** Pause after a failure of the log. */
const retryMs = 1_000

export interface WebhookLeaseParts extends DeliveryParts {
  /** Reports a temporary failure, which is retried. */
  onRetryableError(error: unknown): void
}

interface RunningDelivery {
  readonly delivery: WebhookDelivery
  readonly stopping: AbortController
  readonly ended: Promise<void>
}

export class WebhookLease {
  readonly #lease: Lease
  readonly #parts: WebhookLeaseParts
  /** By key. */
  readonly #states = new Map<string, WebhookState>()
  readonly #running = new Map<string, RunningDelivery>()
  readonly #changed = new Set<string>()
  /**
   * Keys whose position moved only behind records that are not for the webhook, since the last commit of such
   * positions.
   */
  readonly #passed = new Set<string>()
  #passedAt = performance.now()
  readonly #outputs: Output[] = []
  readonly #failing = new AbortController()
  #next: number

  constructor(lease: Lease, parts: WebhookLeaseParts) {
    this.#lease = lease
    this.#parts = parts
    this.#next = lease.position
    for (const state of storedWebhooks(lease.state)) this.#states.set(keyOf(state), state)
  }

  /** Returns when the lease ends. */
  async run(): Promise<void> {
    const { commitEveryMs } = this.#parts.webhookLimits
    for (const key of this.#states.keys()) this.#reconcile(key)
    try {
      while (!this.#isOver) {
        await this.#read(await this.#lease.poll({ maxRecords: maxPolled, maxWaitMs: commitEveryMs }))
        await this.#commit()
      }
    } finally {
      await Promise.all([...this.#running.keys()].map((key) => this.#stop(key)))
      // The next owner reports the failures of its deliveries.
      for (const { webhook } of this.#states.values())
        this.#parts.onOver(webhook.id, `webhook ${webhook.id} is delivered by another lease`)
    }
    this.#failing.signal.throwIfAborted()
    // Commits the last accepted deliveries, which the next owner would post again.
    await this.#commit().catch((error) => {
      if (!isLoomlogError(error, 'fenced')) throw error
    })
  }

  get #isOver(): boolean {
    return this.#lease.signal.aborted || this.#failing.signal.aborted
  }

  async #read(records: readonly LogRecord[]): Promise<void> {
    for (const { key, value, offset } of records) {
      const event = await this.#parts.codec.decodeOrNull(value)
      this.#next = offset + 1
      if (key === null || !isWebhookEvent(event) || key !== webhookKeyOf(event.tenant, webhookIdOf(event))) continue
      this.#apply(key, event)
      await this.#reconcileAfterStop(key)
    }
  }

  #apply(key: string, event: WebhookEvent): void {
    const before = this.#states.get(key)
    const webhook = applyWebhookEvent(before?.webhook ?? null, event)
    if (webhook === null) return
    const isResumed = before !== undefined && before.webhook.status !== 'enabled' && webhook.status === 'enabled'
    const progress =
      before === undefined || isResumed
        ? { positions: before?.positions ?? webhook.start, failing: null, isAfterParked: false }
        : before
    this.#states.set(key, { ...progress, webhook })
    this.#changed.add(key)
    const { id, status } = webhook
    if (status === 'paused' || status === 'removed' || isResumed) this.#parts.onOver(id, `webhook ${id} is ${status}`)
  }

  async #reconcileAfterStop(key: string): Promise<void> {
    if (this.#states.get(key)?.webhook.status !== 'enabled') await this.#stop(key)
    this.#reconcile(key)
    this.#running.get(key)?.delivery.wake()
  }

  #reconcile(key: string): void {
    const state = this.#states.get(key)
    if (state === undefined) return
    if (state.webhook.status !== 'enabled' || this.#running.has(key)) return
    const stopping = new AbortController()
    if (this.#isOver) return
    const signal = AbortSignal.any([stopping.signal, this.#lease.signal, this.#failing.signal])
    const delivery = new WebhookDelivery(this.#journalOf(key, state), this.#parts)
    const ended = this.#deliver(delivery, signal).finally(() => {
      this.#running.delete(key)
      // The webhook may have been resumed while the delivery ended.
      if (!stopping.signal.aborted && !this.#isOver) this.#reconcile(key)
    })
    this.#running.set(key, { delivery, stopping, ended })
  }

  async #deliver(delivery: WebhookDelivery, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await delivery.run(signal)
      } catch (error) {
        if (signal.aborted) return
        if (!isLoomlogError(error) || !error.retryable) return this.#failing.abort(error)
        this.#parts.onRetryableError(error)
        await this.#parts.clock.sleep(retryMs, signal)
      }
    }
  }

  #journalOf(key: string, first: WebhookState) {
    const current = () => this.#states.get(key) ?? first
    return {
      get state() {
        return current()
      },
      move: (progress: Partial<WebhookState>) => {
        this.#states.set(key, { ...current(), ...progress })
        this.#changed.add(key)
      },
      pass: (positions: readonly number[]) => {
        if (positions.every((offset, partition) => offset === current().positions[partition])) return
        this.#states.set(key, { ...current(), positions })
        this.#passed.add(key)
      },
      record: (event: WebhookEvent) => {
        const value = this.#parts.codec.encode(event)
        this.#outputs.push({ topic: webhooksTopic, record: { key, value, timestamp: this.#parts.clock.now() } })
        this.#apply(key, event)
      },
    }
  }

  async #stop(key: string): Promise<void> {
    const running = this.#running.get(key)
    running?.stopping.abort()
    await running?.ended
  }

  async #commit(): Promise<void> {
    if (this.#isOver || performance.now() - this.#passedAt > this.#parts.webhookLimits.commitPassedMs) {
      for (const key of this.#passed) this.#changed.add(key)
      this.#passed.clear()
      this.#passedAt = performance.now()
    }
    const changed = [...this.#changed].flatMap((key) => this.#states.get(key) ?? [])
    if (changed.length === 0 && this.#outputs.length === 0) return
    const outputs = this.#outputs.splice(0)
    this.#changed.clear()
    await this.#lease.commit({ outputs, state: changed.map(stateChangeOf), position: this.#next })
    for (const state of changed) if (state.webhook.status === 'removed') this.#states.delete(keyOf(state))
  }
}

function keyOf({ webhook }: WebhookState): string {
  return webhookKeyOf(webhook.tenant, webhook.id)
}
