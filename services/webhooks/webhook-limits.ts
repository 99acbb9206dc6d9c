/** The limits of deliveries, each with its default. */

export interface WebhookLimits {
  /** Requests of this process at once. */
  readonly inFlight: number
  /** Those of them for webhooks that fail or are slow, so that these don't hold up the others. */
  readonly inFlightTroubled: number
  /** A webhook whose last answer took longer counts as slow. */
  readonly slowMs: number
  /** Open connections without a request, for the next one. */
  readonly idleSockets: number
  /** A webhook gives its place to the next one after this time. */
  readonly turnMs: number
  /** A request with its answer may take this long. */
  readonly timeoutMs: number
  /** Bytes of an answer that are read; the status alone decides. */
  readonly answerBytes: number
  /** Backoff: the first pause, and the longest. */
  readonly firstRetryMs: number
  readonly maxRetryMs: number
  /** A longer Retry-After counts as this. */
  readonly maxRetryAfterMs: number
  /** An event that fails for this long is parked. */
  readonly parkAfterMs: number
  /** Attempts for the event after a parked one; if all fail, the webhook is disabled. */
  readonly attemptsAfterParking: number
  /** Positions are committed this often. After a kill, deliveries of this time are posted again. */
  readonly commitEveryMs: number
  /** Positions behind records that are none of the webhook's are committed this often. */
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
