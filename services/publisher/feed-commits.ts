/**
 * The commits of one lease: published events, state and the position in `utterances`, all or nothing. Spans of records
 * end with the commit that holds their effects.
 */
import { crashPoint } from '@loomlog/log/crash-points'
import type { Lease, LogRecord, Output } from '@loomlog/log/port'
import { kafkaHeaders } from '@loomlog/schemas/cloud-events'
import type { Codec } from '@loomlog/schemas/codec'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { endUncommitted, processSpan } from '@loomlog/telemetry/record-spans'
import type { Span } from '@loomlog/telemetry/spans'
import type { FeedState } from './feed-state.ts'

export class FeedCommits {
  readonly #lease: Lease
  readonly #state: FeedState
  readonly #codec: Codec
  readonly #outputs: Output[] = []
  /** Spans of the records that are read and not committed yet. */
  readonly #spans: Span[] = []
  #position: number

  constructor(lease: Lease, state: FeedState, codec: Codec) {
    this.#lease = lease
    this.#state = state
    this.#codec = codec
    this.#position = lease.position
  }

  /** Outputs and changes of state that wait for a commit. */
  get pending(): number {
    return this.#outputs.length + this.#state.pending
  }

  /** Starts the span of a record, which ends with the commit; null: the record is not traced. */
  spanOf(record: LogRecord): Span | null {
    const span = processSpan(record, { name: 'publisher', group: 'publisher', isLive: true })
    if (span !== null) this.#spans.push(span)
    return span
  }

  publish(events: readonly PublishedEvent[], span: Span | null = null): void {
    for (const event of events) {
      const value = this.#codec.encode(event)
      const key = spaceKey(event.tenant, event.space)
      const record = { key, value, timestamp: Date.now(), headers: kafkaHeaders(event) }
      const traced = span === null ? record : { ...record, traceparent: span.traceparent }
      this.#outputs.push({ topic: 'memory-events', record: traced })
    }
  }

  async commit(upTo: number): Promise<void> {
    const position = Math.max(this.#position, upTo)
    if (this.pending === 0 && position === this.#position) return
    crashPoint('publish.before-commit')
    await this.#lease.commit({ outputs: this.#outputs, state: this.#state.changes(), position })
    crashPoint('publish.after-commit')
    this.#position = position
    this.#state.settle()
    this.#outputs.length = 0
    for (const span of this.#spans.splice(0)) span.end()
  }

  /** For the end of the lease: the next owner does uncommitted work again. */
  abandon(): void {
    for (const span of this.#spans.splice(0)) endUncommitted(span)
  }
}
