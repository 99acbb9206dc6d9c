/**
 * Follows the topic `generations` for as long as a process runs: what is known is at most a moment old, and whoever asked is told of
 * every change. A log that does not answer is read on from where it was when it answers again; until then the last known holds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { applied, isGenerationEvent } from './fold.ts'
import { type Generations, noGenerations } from './generations.ts'

const topic = 'generations'
const pauseMs = 500

export interface FollowerOptions {
  readonly log: Log
  readonly codec: Codec
  /** Told of what may pass, and is tried again. */
  onTrouble(error: LoomlogError): void
  /** Told of anything else: what is known does not grow any more. */
  onError(error: unknown): void
}

export class GenerationsFollower {
  #known: Generations = noGenerations
  #next = 0
  readonly #closing = new AbortController()
  readonly #listeners = new Set<(known: Generations) => void>()
  #ended: Promise<void> = Promise.resolve()

  /** Knows, on return, all that was in the log when it was called. */
  static async open(options: FollowerOptions): Promise<GenerationsFollower> {
    const follower = new GenerationsFollower()
    const [end = 0] = await options.log.endOffsets(topic)
    const reached = new Promise<void>((resolve, reject) => {
      follower.#ended = follower.#follow({ ...options, onRead: (next) => next >= end && resolve() }).catch((error) => {
        reject(error)
        options.onError(error)
      })
      if (end === 0) resolve()
    })
    await reached
    return follower
  }

  get current(): Generations {
    return this.#known
  }

  /** Called with what is known from now on, after every batch of changes. */
  onChange(listener: (known: Generations) => void): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#ended
  }

  async #follow(options: FollowerOptions & { onRead(next: number): void }): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#readOn(options)
      } catch (error) {
        if (!isLoomlogError(error) || !error.retryable) throw error
        if (!signal.aborted) options.onTrouble(error)
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  async #readOn({ log, codec, onRead }: FollowerOptions & { onRead(next: number): void }): Promise<void> {
    const from = new Map([[0, this.#next]])
    for await (const records of log.read({ topic, from, until: 'follow', signal: this.#closing.signal })) {
      for (const { value, offset } of records) {
        const event = await codec.decode(value)
        if (isGenerationEvent(event)) this.#known = applied(this.#known, event)
        this.#next = offset + 1
      }
      if (records.length > 0) for (const listener of this.#listeners) listener(this.#known)
      onRead(this.#next)
    }
  }
}
