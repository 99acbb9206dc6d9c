/**
 * The traces of the newest events of a lease, by event id. A derived event rests on many inputs and continues the trace
 * of one of them; its span links to the traces of the others. The map is in memory only: it is no part of a stage's
 * state, and empty after a restart.
 */
import { TextMap } from '@loomlog/text-caches'
import type { Span } from './spans.ts'

const mostKept = 10_000

export class RecentTraces {
  readonly #byEvent = new TextMap<string>()

  note(event: string, traceparent: string | undefined): void {
    if (traceparent === undefined) return
    this.#byEvent.set(event, traceparent)
    const [oldest] = this.#byEvent.keys()
    if (this.#byEvent.size > mostKept && oldest !== undefined) this.#byEvent.delete(oldest)
  }

  /** Links the span to the traces of these events, except the one that it continues. */
  link(span: Span, events: Iterable<string>, continued: string): void {
    for (const event of events) {
      const traceparent = event === continued ? undefined : this.#byEvent.get(event)
      if (traceparent !== undefined) span.link(traceparent)
    }
  }
}
