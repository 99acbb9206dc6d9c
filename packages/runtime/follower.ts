/**
 * Follows one partition of a topic: hands every batch to `keep`, in order, and lets callers wait for an offset. It ends
 * with the signal or with a failure, and then rejects the waiting callers. A caller that needs more starts a new
 * follower.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log, LogRecord } from '@loomlog/log/port'

export interface FollowerOptions {
  readonly log: Log
  readonly topic: string
  readonly partition: number
  readonly from: number
  readonly signal: AbortSignal
  keep(records: readonly LogRecord[]): Promise<void>
}

interface Waiting {
  readonly offset: number
  resolve(): void
  reject(error: unknown): void
}

export class Follower {
  /** Never rejects. */
  readonly ended: Promise<void>
  readonly #waiting = new Set<Waiting>()
  #position: number
  #failure: { readonly error: unknown } | null = null

  constructor(options: FollowerOptions) {
    const { topic, partition } = options
    const over = () => new LoomlogError('log-unavailable', `${topic}/${partition} is not followed any more`)
    this.#position = options.from
    this.ended = this.#readOn(options).then(
      () => this.#end(over()),
      (error: unknown) => this.#end(error),
    )
  }

  /** Returns once everything below the offset is kept. @throws the error that ended the follower */
  async waitFor(offset: number): Promise<void> {
    if (this.#position >= offset) return
    if (this.#failure !== null) throw this.#failure.error
    await new Promise<void>((resolve, reject) => this.#waiting.add({ offset, resolve, reject }))
  }

  async #readOn({ log, topic, partition, from, signal, keep }: FollowerOptions): Promise<void> {
    const start = new Map([[partition, from]])
    for await (const records of log.read({ topic, partitions: [partition], from: start, until: 'follow', signal })) {
      await keep(records)
      this.#position = (records.at(-1)?.offset ?? -1) + 1
      for (const waiting of this.#waiting) {
        if (waiting.offset > this.#position) continue
        this.#waiting.delete(waiting)
        waiting.resolve()
      }
    }
  }

  #end(error: unknown): void {
    this.#failure = { error }
    for (const waiting of this.#waiting) waiting.reject(error)
    this.#waiting.clear()
  }
}
