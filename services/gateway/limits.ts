/** The limits of the gateway, each with its default. A request beyond a limit is refused, with the reason. */

export interface GatewayLimits {
  /** In-flight limit of reads: recalls, tools, why, corrections, status, usage, webhooks. */
  readonly reads: number
  /** Reads that may wait for a slot. */
  readonly queuedReads: number
  /** Longest wait for a slot, in ms. */
  readonly queueMs: number
  /** Longest read, in ms. A search by a model with tools takes up to 180 s. */
  readonly readMs: number
  /** Longest wait for an append, in ms. */
  readonly appendMs: number
  /** Longest arrival of a request, in ms. */
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

/** Most bytes of a body. */
export const maxBodyBytes = 1_000_000
/** Greatest nesting depth of arrays and objects in a body. */
export const maxBodyDepth = 64
/** Most bytes of all bodies in memory; of one caller, three quarters. */
export const maxBodyBytesInFlight = 64_000_000
/** Characters of a name in a path, percent-encoded: 256 characters of up to 12 each. */
export const maxParameterChars = 3_072
