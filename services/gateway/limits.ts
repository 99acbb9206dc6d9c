/** The limits of the gateway, each with its default. A request beyond one is refused with Retry-After; nothing of it is lost silently. */

export interface GatewayLimits {
  /** Requests that read views at once: recalls, tools, why, corrections. */
  readonly reads: number
  /** Requests that may wait for a place among them. */
  readonly queuedReads: number
  /** How long a request may wait for its place, in ms. */
  readonly queueMs: number
  /** How long a request may read, in ms. A search by a model with tools takes up to 180 s. */
  readonly readMs: number
  /** How long an append may take, in ms. */
  readonly appendMs: number
  /** How long a request may take to arrive, in ms. */
  readonly requestMs: number
}

export const defaultLimits: GatewayLimits = {
  reads: 8,
  queuedReads: 256,
  queueMs: 10_000,
  readMs: 240_000,
  appendMs: 30_000,
  requestMs: 30_000,
}

/** Bytes of a body. */
export const maxBodyBytes = 1_000_000
/** Arrays and objects inside each other in a body. */
export const maxBodyDepth = 64
/** Bodies that are held in memory at once, in bytes. */
export const maxBodyBytesInFlight = 64_000_000
/** Characters of a name in a path, percent-encoded: 256 characters of up to 12 each. */
export const maxParameterChars = 3_072
