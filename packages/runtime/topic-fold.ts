/**
 * The fold of a topic with one partition, kept up to date while a process runs. Listeners get every change. While the
 * log is away the last known state stays; when it answers again, reading resumes at the last offset.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { LogEvent } from '@loomlog/schemas/events'

const pauseMs = 500

export interface FoldListener {
  /** Reports a temporary failure, which is retried. */
  onTemporaryFailure(error: LoomlogError): void
  /** Reports any other failure, which ends the fold: `current` stays as it is. */
  onError(error: unknown): void
}

export interface TopicFoldOptions<State> extends FoldListener {
  readonly log: Log
  readonly codec: Codec
  readonly topic: string
  readonly initial: State
  /** Pure. Ignores events of other kinds. */
  apply(state: State, event: LogEvent): State
}

export class TopicFold<State> {
  #state: State
  #next = 0
  readonly #options: TopicFoldOptions<State>
  readonly #closing = new AbortController()
  readonly #listeners = new Set<(state: State) => void>()
  #ended: Promise<void> = Promise.resolve()
  #hasFailed = false

  private constructor(options: TopicFoldOptions<State>) {
    this.#options = options
    this.#state = options.initial
  }

  /** Returns when every record that the log had at the call is read. */
  static async open<State>(options: TopicFoldOptions<State>): Promise<TopicFold<State>> {
    const fold = new TopicFold(options)
    const [end = 0] = await options.log.endOffsets(options.topic)
    await new Promise<void>((resolve, reject) => {
      fold.#ended = fold
        .#follow((next) => next >= end && resolve())
        .catch((error) => {
          fold.#hasFailed = true
          reject(error)
          options.onError(error)
        })
      if (end === 0) resolve()
    })
    return fold
  }

  get current(): State {
    return this.#state
  }

  /** Whether a failure has ended the fold, so that `current` no longer changes. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Calls the listener with the new state after every batch of changes. */
  onChange(listener: (state: State) => void): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#ended
  }

  async #follow(onRead: (next: number) => void): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#readOn(onRead)
      } catch (error) {
        if (!isLoomlogError(error) || !error.retryable) throw error
        if (!signal.aborted) this.#options.onTemporaryFailure(error)
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  async #readOn(onRead: (next: number) => void): Promise<void> {
    const { log, codec, topic, apply } = this.#options
    const from = new Map([[0, this.#next]])
    for await (const records of log.read({ topic, from, until: 'follow', signal: this.#closing.signal })) {
      for (const { value, offset } of records) {
        this.#state = apply(this.#state, await codec.decode(value))
        this.#next = offset + 1
      }
      if (records.length > 0) for (const listener of this.#listeners) listener(this.#state)
      onRead(this.#next)
    }
  }
}
