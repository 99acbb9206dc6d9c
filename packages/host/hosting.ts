/**
 * Runs the derivations of all running generations: follows the topic `generations` and starts and stops parts without a
 * restart. A derivation that several generations share runs once. Parts that no live generation uses are throttled.
 */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { liveGenerations } from '@loomlog/generations/pointers'
import { BackgroundThrottle, defaultBackgroundShare } from '@loomlog/runtime/background-throttle'
import type { Throttle } from '@loomlog/runtime/throttle'

/** A running task, until it is closed. */
export interface ClosablePart {
  close(): Promise<unknown>
}

export interface HostedPart {
  /** The part's consumer group. Parts with equal groups run once. */
  readonly group: string
  /** @param signal stops the part, also during its start */
  start(throttle: Throttle, signal: AbortSignal): Promise<ClosablePart>
}

/** The parts that a generation needs of this process. */
export type HostedPartsOf = (known: Generations, generation: Generation) => Promise<readonly HostedPart[]>

export interface HostingOptions {
  readonly follower: GenerationsFollower
  readonly partsOf: HostedPartsOf
  /** Default: `isRunning`. */
  isHosted?(generation: Generation): boolean
  /** Reports a temporary failure, which is retried. */
  onTemporaryFailure(error: LoomlogError): void
  onError(error: unknown): void
  /** Stops all parts, also during their start. */
  readonly signal?: AbortSignal
}

interface RunningPart {
  readonly part: ClosablePart
  readonly users: Set<string>
}

const retryMs = 1_000

export function isRunning({ status }: Generation): boolean {
  return status === 'running'
}

export class Hosting {
  readonly #options: HostingOptions
  readonly #background = new BackgroundThrottle()
  readonly #hosted = new Map<string, RunningPart>()
  #live: ReadonlySet<string> = new Set()
  #work: Promise<void> = Promise.resolve()
  #isQueued = false
  readonly #over = new AbortController()
  #retry: NodeJS.Timeout | null = null

  private constructor(options: HostingOptions) {
    this.#options = options
    options.signal?.addEventListener('abort', () => this.#over.abort(), { once: true })
    if (options.signal?.aborted) this.#over.abort()
  }

  /** Returns after the first attempt to start the parts of all running generations; temporary failures are retried. */
  static async start(options: HostingOptions): Promise<Hosting> {
    const hosting = new Hosting(options)
    options.follower.onChange(() => hosting.#reconcileSoon())
    hosting.#reconcileSoon()
    await hosting.#work
    return hosting
  }

  /** Asks `partsOf` again: its result may depend on more than the generations. */
  refresh(): void {
    this.#reconcileSoon()
  }

  async close(): Promise<void> {
    this.#over.abort()
    if (this.#retry) clearTimeout(this.#retry)
    await this.#work
    await Promise.all([...this.#hosted.values()].map(({ part }) => part.close()))
    this.#hosted.clear()
  }

  /** Reconciliations run one at a time, each with the generations at its start, so one in the queue is enough. */
  #reconcileSoon(): void {
    if (this.#isQueued) return
    this.#isQueued = true
    this.#work = this.#work.then(async () => {
      this.#isQueued = false
      try {
        if (!this.#over.signal.aborted) await this.#reconcile(this.#options.follower.current)
      } catch (error) {
        if (this.#over.signal.aborted) return
        if (!isLoomlogError(error) || !error.retryable) return this.#options.onError(error)
        this.#options.onTemporaryFailure(error)
        if (this.#retry) clearTimeout(this.#retry)
        this.#retry = setTimeout(() => this.#reconcileSoon(), retryMs)
      }
    })
  }

  async #reconcile(known: Generations): Promise<void> {
    this.#live = liveGenerations(known)
    const wanted = new Map<string, { readonly part: HostedPart; readonly users: Set<string> }>()
    const { partsOf, isHosted = isRunning } = this.#options
    for (const generation of [...known.generations.values()].filter(isHosted)) {
      for (const part of await partsOf(known, generation)) {
        const users = wanted.get(part.group)?.users ?? new Set()
        wanted.set(part.group, { part, users: users.add(generation.id) })
      }
    }
    const over = [...this.#hosted].filter(([group]) => !wanted.has(group))
    for (const [group] of over) this.#hosted.delete(group)
    await Promise.all(over.map(([, { part }]) => part.close()))
    for (const [group, { part, users }] of wanted) {
      if (this.#over.signal.aborted) return
      const hosted = this.#hosted.get(group)
      if (!hosted)
        this.#hosted.set(group, { part: await part.start(this.#throttleOf(users), this.#over.signal), users })
      else {
        hosted.users.clear()
        for (const user of users) hosted.users.add(user)
      }
    }
  }

  #throttleOf(users: ReadonlySet<string>): Throttle {
    const { follower } = this.#options
    return this.#background.throttle({
      isLive: () => [...users].some((user) => this.#live.has(user)),
      share: () =>
        Math.max(...[...users].map((user) => follower.current.generations.get(user)?.share ?? defaultBackgroundShare)),
    })
  }
}
