/**
 * Wakes the readers that wait for a topic after a commit. A commit of this process wakes the waiters of its topics at
 * once. Commits of other processes show in `pragma data_version`, which is polled while there are waiters (two
 * microseconds each), and wake all of them. A reader takes `commits`, reads, and waits for a commit since then, so it
 * misses none. A wait may end without a commit: the reader reads again, and waits again.
 */
import type { Database } from './driver.ts'

const lookEveryMs = 20

export class CommitWatch {
  /** By topic. */
  readonly #waiting = new Map<number, Set<() => void>>()
  readonly #own = new Map<number, number>()
  #timer: NodeJS.Timeout | null = null
  #foreign = 0
  /** Unknown before the first poll, which therefore wakes all waiters: they have read before it. */
  #version: number | null = null

  /** Rises with every commit that may have changed the topic. */
  commits(topic: number): number {
    return this.#foreign + (this.#own.get(topic) ?? 0)
  }

  /** Waits for a commit to the topic after `since`, for `maxMs` at most, or until the signal aborts. */
  wait(
    db: Database,
    options: {
      readonly topic: number
      readonly since: number
      readonly maxMs: number
      readonly signal: AbortSignal | null
    },
  ): Promise<void> {
    const { topic, since, maxMs, signal } = options
    if (since !== this.commits(topic) || signal?.aborted || maxMs <= 0) return Promise.resolve()
    const waiting = this.#waiting.get(topic) ?? new Set()
    this.#waiting.set(topic, waiting)
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timeout)
        signal?.removeEventListener('abort', done)
        waiting.delete(done)
        if (waiting.size === 0 && this.#waiting.get(topic) === waiting) this.#waiting.delete(topic)
        resolve()
      }
      const timeout = Number.isFinite(maxMs) ? setTimeout(done, maxMs) : undefined
      signal?.addEventListener('abort', done)
      waiting.add(done)
      this.#timer ??= setInterval(() => this.#look(db), lookEveryMs)
    })
  }

  /** A commit of this process changed these topics. */
  wake(topics: Iterable<number>): void {
    for (const topic of topics) {
      this.#own.set(topic, (this.#own.get(topic) ?? 0) + 1)
      for (const done of [...(this.#waiting.get(topic) ?? [])]) done()
    }
  }

  #wakeAll(): void {
    this.#foreign += 1
    for (const waiting of [...this.#waiting.values()]) for (const done of [...waiting]) done()
  }

  #look(db: Database): void {
    if (this.#waiting.size === 0) {
      this.#stop()
      return
    }
    try {
      const version = db.one<{ data_version: number }>('pragma data_version')?.data_version ?? null
      if (version !== this.#version) this.#wakeAll()
      this.#version = version
    } catch {
      // The waiters read again, and report the same failure.
      this.#stop()
      this.#wakeAll()
    }
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    this.#version = null
  }
}
