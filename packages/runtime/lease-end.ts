/**
 * The end of a lease's run: the lease was lost, handed over or closed, or a part of the run failed. Then, at once:
 *
 * 1. Nothing more is read or committed. Uncommitted work is dropped: the next owner reads it again from the committed position.
 * 2. Calls to the model are aborted. An answer that has arrived is still recorded, so that it is not paid for again.
 * 3. Lanes start no more work. The run returns when the started work has returned, and only then is the partition handed on.
 * 4. The first failure is thrown, so that the lease is given up and the error is reported. A lease that was lost ends without an
 *    error, unless a commit was refused as `fenced`: that one is reported although the lease ended before it.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { Lease } from '@loomlog/log/port'

export class LeaseEnd {
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

  /** A failure after the end is a consequence of it, and counts only if it is `fenced`. */
  fail(error: unknown): void {
    if (!this.signal.aborted || isLoomlogError(error, 'fenced')) this.#failure ??= { error }
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
