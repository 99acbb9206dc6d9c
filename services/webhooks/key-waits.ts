/**
 * The webhooks of this process that wait for the webhook key. Together they are one condition, since they have one
 * cause: a restored log without its key is one line in the log, not one a webhook or a delivery.
 */
export interface KeyReports {
  /** May be repeated. */
  onKeyMissing(text: string): void
  onKeyFound(text: string): void
}

export class KeyWaits {
  readonly #waiting = new Set<string>()
  readonly #reports: KeyReports

  constructor(reports: KeyReports) {
    this.#reports = reports
  }

  begin(webhook: string, fault: string): void {
    this.#waiting.add(webhook)
    this.#reports.onKeyMissing(`webhooks can't be signed, such as ${webhook}: ${fault}`)
  }

  end(webhook: string): void {
    if (!this.#waiting.delete(webhook) || this.#waiting.size > 0) return
    this.#reports.onKeyFound('no webhook of this process waits for the webhook key')
  }
}
