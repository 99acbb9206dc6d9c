/**
 * What is thrown where a model can't be asked just now: timeouts, 429, 5xx, lost connections, keys, budgets, a worker thread
 * that died. It says nothing about the input, so the caller pauses and asks again; it never parks the input.
 */
import { LoomlogError } from '@loomlog/errors'

export class ModelUnavailable extends LoomlogError {
  /** How long the endpoint asked us to wait, in ms; null where it didn't say. */
  readonly retryAfterMs: number | null

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number | null } = {}) {
    super('model-unavailable', message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'ModelUnavailable'
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
