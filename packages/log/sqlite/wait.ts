/**
 * Tells those who wait that something was committed. Commits of this process are told at once; those of other processes are
 * seen in `pragma data_version`, which costs two microseconds and is looked at only while somebody waits. Take `commits`, read,
 * and wait since then: no commit after the read is missed. A wait may end for nothing: read again, then wait again.
 */
import type { Database } from './database.ts'

const lookEveryMs = 20

export class CommitWatch {
  readonly #waiting = new Set<() => void>()
  #timer: NodeJS.Timeout | null = null
  #commits = 0
  /** Unknown before the first look, so that the first look wakes everybody: their reads are older than it. */
  #version: number | null = null

  /** Rises with every commit that this process made or saw. */
  get commits(): number {
    return this.#commits
  }

  /** Until there is a commit after `since`, for `maxMs` at most, or until the signal aborts. */
  wait(
    db: Database,
    options: { readonly since: number; readonly maxMs: number; readonly signal: AbortSignal | null },
  ): Promise<void> {
    const { since, maxMs, signal } = options
    if (since !== this.#commits || signal?.aborted || maxMs <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timeout)
        signal?.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timeout = Number.isFinite(maxMs) ? setTimeout(done, maxMs) : undefined
      signal?.addEventListener('abort', done)
      this.#waiting.add(done)
      this.#timer ??= setInterval(() => this.#look(db), lookEveryMs)
    })
  }

  wake(): void {
    this.#commits += 1
    for (const done of [...this.#waiting]) done()
  }

  #look(db: Database): void {
    if (this.#waiting.size === 0) {
      this.#stop()
      return
    }
    try {
      const version = db.one<{ data_version: number }>('pragma data_version')?.data_version ?? null
      if (version !== this.#version) this.wake()
      this.#version = version
    } catch {
      // Whoever waits looks again, and meets the same failure where it can be told.
      this.#stop()
      this.wake()
    }
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    this.#version = null
  }
}
