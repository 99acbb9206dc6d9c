/**
 * Records requests in the topic `audit`. Requests that arrive during an append share the next one. The queue is
 * bounded. A write waits for its record, so every acknowledged write is in the audit. A read doesn't wait: a record
 * that doesn't fit or can't be written is dropped and reported.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log, NewRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { RequestAudited } from '@loomlog/schemas/events'

const topic = 'audit'
/** Most records in the queue. */
const maxQueued = 10_000

export interface AuditOptions {
  readonly log: Log
  readonly codec: Codec
  onDropped(count: number, why: string): void
}

interface QueuedRecord {
  readonly record: NewRecord
  resolve(): void
  reject(error: unknown): void
}

export class AuditRecorder {
  readonly #options: AuditOptions
  #queue: QueuedRecord[] = []
  #writing: Promise<void> | null = null

  constructor(options: AuditOptions) {
    this.#options = options
  }

  /** Records a read. Returns at once; a dropped record is reported. */
  recordLater(request: Omit<RequestAudited, 'type'>): void {
    this.record(request).catch((error: Error) => this.#options.onDropped(1, error.message))
  }

  /** Records a write: durable on return. @throws LoomlogError `overloaded`; the failure of the log */
  async record(request: Omit<RequestAudited, 'type'>): Promise<void> {
    if (this.#queue.length >= maxQueued) throw new LoomlogError('overloaded', `${maxQueued} records of the audit wait`)
    const value = this.#options.codec.encode({ type: 'RequestAudited', ...request })
    const record = { key: null, partition: 0, value, timestamp: request.at }
    await new Promise<void>((resolve, reject) => {
      this.#queue.push({ record, resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  /** Writes the rest of the queue. */
  async close(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      try {
        await this.#options.log.append(
          topic,
          batch.map(({ record }) => record),
        )
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#writing = null
  }
}
