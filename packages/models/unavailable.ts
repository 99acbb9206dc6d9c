/**
 * The error of a model that is unavailable for now: timeouts, 429, 5xx, lost connections, keys, budgets. It says
 * nothing about the input, so the caller backs off and retries; it never parks the input.
 */
import { LoomlogError } from '@loomlog/errors'

export class ModelUnavailable extends LoomlogError {
  /** The wait that the endpoint asked for, in ms; null if it named none. */
  readonly retryAfterMs: number | null

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number | null } = {}) {
    super('model-unavailable', message, options.cause === undefined ? {} : { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
