/**
 * Follows the topic `generations` while a process runs, and notifies listeners of every change. While the log is away the last known
 * state stays; when it answers again, reading resumes at the last offset.
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
  /** Reports a temporary failure, which is retried. */
  onTrouble(error: LoomlogError): void
  /** Reports any other failure, which ends the follower: `current` stays as it is. */
  onError(error: unknown): void
}

export class GenerationsFollower {
  #known: Generations = noGenerations
  #next = 0
  readonly #closing = new AbortController()
  readonly #listeners = new Set<(known: Generations) => void>()
  #ended: Promise<void> = Promise.resolve()

  /** Returns when every record that the log had at the call is read. */
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

  /** Calls the listener with the new state after every batch of changes. */
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
