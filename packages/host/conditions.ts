/**
 * Conditions that last, such as an outage or a frozen stage: one log line when a condition begins, one when it ends,
 * with its duration. Repeated failures in between are logged at level debug only.
 */

import { isLoomlogError } from '@loomlog/errors'

/** The part of a logger that conditions use. Commands have one that writes plain lines. */
export interface ConditionLog {
  info(line: string): void
  warn(line: string): void
  debug(line: string): void
}

export interface Condition {
  /** The line in the log. */
  readonly text: string
  /** For a metric's label: without text from outside, such as a reply of another server. */
  readonly reason: string
  /** The beginning, in ms since the epoch. */
  readonly since: number
}

export class Conditions {
  readonly #log: ConditionLog
  readonly #current = new Map<string, Condition & { readonly lastAt: number }>()

  constructor(log: ConditionLog) {
    this.#log = log
  }

  /** The conditions by name, in the order in which they began. */
  get current(): ReadonlyMap<string, Condition> {
    return this.#current
  }

  /** @param reason default: the text */
  begin(name: string, text: string, reason: string = text): void {
    const known = this.#current.get(name)
    const now = Date.now()
    if (known === undefined) this.#log.warn(text)
    else this.#log.debug(text)
    this.#current.set(name, { text, reason, since: known?.since ?? now, lastAt: now })
  }

  /** @param text the line in the log; the duration is appended */
  end(name: string, text: string): void {
    const known = this.#current.get(name)
    if (known === undefined) return
    this.#current.delete(name)
    this.#log.info(`${text} after ${formatSeconds(Date.now() - known.since)}`)
  }

  /** How long ago the condition was last reported; null: there is no such condition. */
  quietMs(name: string): number | null {
    const known = this.#current.get(name)
    return known === undefined ? null : Date.now() - known.lastAt
  }
}

export function formatSeconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`
}

/**
 * Notes a temporary failure as a condition, named by its code. A lease that is lost to another owner gets one line; one
 * that is lost with the log is part of that outage. Returns false for every other error.
 */
export function noteTemporaryFailure(error: unknown, conditions: Conditions, note: (line: string) => void): boolean {
  if (!isLoomlogError(error)) return false
  if (error.code === 'fenced') {
    if (isLoomlogError(error.cause, 'log-unavailable') || isLoomlogError(error.cause, 'log-unauthorized'))
      return noteTemporaryFailure(error.cause, conditions, note)
    note(error.message)
    return true
  }
  if (!error.retryable) return false
  if (error.code === 'log-unavailable') conditions.begin('log', `the log is away: ${error.message}`)
  else if (error.code === 'view-unavailable')
    conditions.begin('failing views', `the views can't be used: ${error.message}`)
  else conditions.begin(`failing ${error.code}`, error.message)
  return true
}
