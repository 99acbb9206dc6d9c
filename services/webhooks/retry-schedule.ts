/**
 * The decision after a failed delivery: retry with backoff, park the event, or disable the webhook. Pure.
 *
 * An event that fails for `parkAfterMs` is parked, and the next one is tried. If that one fails too, the receiver is
 * the cause, so the webhook is disabled, and later events wait in the feed. So an outage parks one event, however long
 * it lasts.
 */
import type { WebhookLimits } from './webhook-limits.ts'

/** The event whose delivery fails, and its retries. */
export interface FailingEvent {
  /** The id of the event. */
  readonly event: string
  /** When it was first posted, in ms since the epoch. */
  readonly since: number
  readonly attempts: number
  readonly reason: string
  /** When it is posted again. */
  readonly nextAt: number
}

export interface DeliveryFailure {
  readonly event: string
  readonly reason: string
  readonly retryAfterMs: number | null
  readonly now: number
  /** 0 to 1: spreads the retries of many webhooks. */
  readonly random: number
}

export interface FailureDecision {
  readonly kind: 'retry' | 'park' | 'disable'
  readonly failing: FailingEvent
}

export interface DeliveryHealth {
  /** Null: the last delivery was accepted. */
  readonly failing: FailingEvent | null
  /** An event was parked, and none was accepted since. */
  readonly isAfterParked: boolean
}

export function decideAfterFailure(
  health: DeliveryHealth,
  { event, reason, retryAfterMs, now, random }: DeliveryFailure,
  limits: WebhookLimits,
): FailureDecision {
  const ongoing = health.failing?.event === event ? health.failing : null
  const attempts = (ongoing?.attempts ?? 0) + 1
  const since = ongoing?.since ?? now
  const backoffMs = Math.min(limits.firstRetryMs * 2 ** Math.min(attempts - 1, 30), limits.maxRetryMs)
  const pauseMs = Math.max(backoffMs * (0.5 + random / 2), Math.min(retryAfterMs ?? 0, limits.maxRetryAfterMs))
  const failing = { event, since, attempts, reason, nextAt: now + pauseMs }
  if (health.isAfterParked) return { kind: attempts < limits.attemptsAfterParking ? 'retry' : 'disable', failing }
  if (now - since >= limits.parkAfterMs) return { kind: 'park', failing }
  return { kind: 'retry', failing }
}
