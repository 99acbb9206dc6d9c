/**
 * What a process runs, by what the log says is to be derived: follows `generations` and makes it so. A derivation that is started
 * begins without a restart, one that is paused, cancelled or retired ends, and one that several generations share runs once. What
 * somebody reads runs as it comes; everything else keeps out of its way.
 */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { liveGenerations } from '@loomlog/generations/pointers'
import { BackgroundThrottle, defaultShare } from '@loomlog/runtime/background-throttle'
import type { Throttle } from '@loomlog/runtime/throttle'

/** What runs, until it is closed. */
export interface Part {
  close(): Promise<unknown>
}

export interface HostedPart {
  /** Names the part; equal keys run once. */
  readonly key: string
  /** @param signal ends it, also while it starts */
  start(throttle: Throttle, signal: AbortSignal): Promise<Part>
}

/** The parts that a generation needs of this process. */
export type PartsOf = (known: Generations, generation: Generation) => Promise<readonly HostedPart[]>

export interface HostingOptions {
  readonly follower: GenerationsFollower
  readonly partsOf: PartsOf
  /** Told of what may pass, and is tried again. */
  onTrouble(error: LoomlogError): void
  onError(error: unknown): void
  /** Ends everything, also while it starts. */
  readonly signal?: AbortSignal
}

interface Hosted {
  readonly part: Part
  readonly users: Set<string>
}

const retryMs = 1_000

export class Hosting {
  readonly #options: HostingOptions
  readonly #background = new BackgroundThrottle()
  readonly #hosted = new Map<string, Hosted>()
  #live: ReadonlySet<string> = new Set()
  #work: Promise<void> = Promise.resolve()
  readonly #over = new AbortController()
  #retry: NodeJS.Timeout | null = null

  private constructor(options: HostingOptions) {
    this.#options = options
    options.signal?.addEventListener('abort', () => this.#over.abort(), { once: true })
    if (options.signal?.aborted) this.#over.abort()
  }

  /** Returns when everything that is known now is running. */
  static async start(options: HostingOptions): Promise<Hosting> {
    const hosting = new Hosting(options)
    options.follower.onChange(() => hosting.#reconcileSoon())
    hosting.#reconcileSoon()
    await hosting.#work
    return hosting
  }

  /** The keys of the parts that run here. */
  get running(): readonly string[] {
    return [...this.#hosted.keys()]
  }

  async close(): Promise<void> {
    this.#over.abort()
    if (this.#retry) clearTimeout(this.#retry)
    await this.#work
    await Promise.all([...this.#hosted.values()].map(({ part }) => part.close()))
    this.#hosted.clear()
  }

  /** One after the other, each with what is known when its turn comes. */
  #reconcileSoon(): void {
    this.#work = this.#work.then(async () => {
      try {
        if (!this.#over.signal.aborted) await this.#reconcile(this.#options.follower.current)
      } catch (error) {
        if (this.#over.signal.aborted) return
        if (!isLoomlogError(error) || !error.retryable) return this.#options.onError(error)
        this.#options.onTrouble(error)
        this.#retry = setTimeout(() => this.#reconcileSoon(), retryMs)
      }
    })
  }

  async #reconcile(known: Generations): Promise<void> {
    this.#live = liveGenerations(known)
    const wanted = new Map<string, { readonly part: HostedPart; readonly users: Set<string> }>()
    for (const generation of known.generations.values()) {
      if (generation.status !== 'running') continue
      for (const part of await this.#options.partsOf(known, generation)) {
        const users = wanted.get(part.key)?.users ?? new Set()
        wanted.set(part.key, { part, users: users.add(generation.id) })
      }
    }
    const over = [...this.#hosted].filter(([key]) => !wanted.has(key))
    for (const [key] of over) this.#hosted.delete(key)
    await Promise.all(over.map(([, { part }]) => part.close()))
    for (const [key, { part, users }] of wanted) {
      if (this.#over.signal.aborted) return
      const hosted = this.#hosted.get(key)
      if (!hosted) this.#hosted.set(key, { part: await part.start(this.#throttleOf(users), this.#over.signal), users })
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
      share: () => Math.max(...[...users].map((user) => follower.current.generations.get(user)?.share ?? defaultShare)),
    })
  }
}
