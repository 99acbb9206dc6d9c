/** The limits of deliveries, each with its default. */

export interface WebhookLimits {
  /** In-flight limit of requests, a process. */
  readonly inFlight: number
  /** The part of them for failing and slow webhooks, so that these don't hold up the others. */
  readonly inFlightTroubled: number
  /** A webhook is slow if its last request took longer. */
  readonly slowMs: number
  /** Idle connections that are kept for later requests. */
  readonly idleSockets: number
  /** Longest turn of a webhook in a slot. */
  readonly turnMs: number
  /** A request with its answer may take this long. */
  readonly timeoutMs: number
  /** Bytes of an answer that are read, for the reason of a failure. */
  readonly answerBytes: number
  /** The first backoff, and the longest. */
  readonly firstRetryMs: number
  readonly maxRetryMs: number
  /** Longest Retry-After; a longer one is cut. */
  readonly maxRetryAfterMs: number
  /** An event that fails for this long is parked. */
  readonly parkAfterMs: number
  /** Attempts for the event after a parked one; if all fail, the webhook is disabled. */
  readonly attemptsAfterParking: number
  /** Commit interval. After a kill, the deliveries of this time are posted again. */
  readonly commitEveryMs: number
  /** Commit interval of positions behind records that are not for the webhook. */
  readonly commitPassedMs: number
}

export const defaultWebhookLimits: WebhookLimits = {
  inFlight: 64,
  inFlightTroubled: 16,
  slowMs: 2_000,
  idleSockets: 64,
  turnMs: 2_000,
  timeoutMs: 15_000,
  answerBytes: 16_384,
  firstRetryMs: 1_000,
  maxRetryMs: 600_000,
  maxRetryAfterMs: 86_400_000,
  parkAfterMs: 86_400_000,
  attemptsAfterParking: 5,
  commitEveryMs: 200,
  commitPassedMs: 5_000,
}
