/**
 * The end of a stage's run on a lease: the lease was lost, handed over or closed, or a part of the run failed. Then, at
 * once:
 *
 * 1. Nothing more is read or committed. Uncommitted work is dropped: the next owner reads it again from the committed
 *    position.
 * 2. Calls to the model are aborted. An answer that has arrived is still recorded, so that it is not paid for again.
 * 3. Lanes start no more work. The run returns when the started work has returned, and only then is the partition
 *    handed on.
 * 4. The first failure is thrown, so that the lease is given up and the error is reported, also an operating error
 *    after the end: on Kafka a failed commit ends the lease before it throws.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { Lease } from '@loomlog/log/port'

export class LeaseRunEnd {
  readonly #over = new AbortController()
  readonly #onEnd: () => void
  #failure: { readonly error: unknown } | null = null

  constructor(lease: Lease, onEnd: () => void) {
    this.#onEnd = onEnd
    lease.signal.addEventListener('abort', () => this.#end(), { once: true })
    if (lease.signal.aborted) this.#end()
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** After the end only operating errors count: work in flight may fail because the end took away its state. */
  fail(error: unknown): void {
    if (!this.signal.aborted || isLoomlogError(error)) this.#failure ??= { error }
    this.#end()
  }

  throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }

  #end(): void {
    if (this.signal.aborted) return
    this.#over.abort()
    this.#onEnd()
  }
}
