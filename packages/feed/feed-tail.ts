/**
 * The newest messages of a topic, decoded once for all live readers. From the first reader on, it follows the
 * topic, holds a bounded number of messages of each partition, and wakes waiting readers. Older messages are read from
 * the log.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { FeedIndex } from './feed-index.ts'
import type { FeedReadLimits } from './feed-limits.ts'
import type { FeedMessage, MessageTopic } from './feed-message.ts'

const retryMs = 500

export interface FeedTailOptions {
  readonly topic: MessageTopic
  readonly log: Pick<Log, 'read' | 'endOffsets'>
  readonly codec: Codec
  readonly limits: FeedReadLimits
  /** Where a space (`tenant/space`) begins in the topic, while a forgetting is under way there; else 0. */
  beginningOf(space: string, topic: string): Promise<number>
  /** Reports a failure; following is tried again. */
  onRetryableError(error: unknown): void
}

/** The held messages of a partition: all from the offset `from` to `next`. */
interface HeldMessages {
  from: number
  next: number
  bytes: number
  messages: FeedMessage[]
}

export class FeedTail {
  readonly #options: FeedTailOptions
  readonly #closing = new AbortController()
  readonly #waiting = new Set<() => void>()
  #held: readonly HeldMessages[] = []
  #starting: Promise<void> | null = null
  #following: Promise<void> = Promise.resolve()

  readonly topic: MessageTopic
  /** The index of older messages. */
  readonly index: FeedIndex

  constructor(options: FeedTailOptions) {
    this.#options = options
    this.topic = options.topic
    this.index = new FeedIndex(options.topic.name, options.log, options.limits)
  }

  /** Returns when the tail follows the topic. Idempotent. */
  start(): Promise<void> {
    this.#starting ??= this.#begin().catch((error) => {
      this.#starting = null
      throw error
    })
    return this.#starting
  }

  /** Without the messages of spaces that are being forgotten. */
  async withoutVoid(messages: readonly FeedMessage[]): Promise<readonly FeedMessage[]> {
    const beginnings = new Map<string, number>()
    for (const space of new Set(messages.flatMap((message) => message.space ?? [])))
      beginnings.set(space, await this.#options.beginningOf(space, this.topic.name))
    return messages.filter(({ space, offset }) => offset >= (beginnings.get(space ?? '') ?? 0))
  }

  /** The messages from an offset on; null: some of them are no longer held. */
  heldFrom(partition: number, offset: number): readonly FeedMessage[] | null {
    const held = this.#held[partition]
    if (held === undefined || offset < held.from) return null
    const first = held.messages.findIndex((message) => message.offset >= offset)
    return first === -1 ? [] : held.messages.slice(first)
  }

  /** The offset from which messages are held. */
  begin(partition: number): number {
    return this.#held[partition]?.from ?? 0
  }

  /** The offset after the last held message. */
  end(partition: number): number {
    return this.#held[partition]?.next ?? 0
  }

  /** Resolves when a partition has a message at or after its offset, after `maxWaitMs`, or when the signal aborts. */
  async changed(next: ReadonlyMap<number, number>, maxWaitMs: number, signal: AbortSignal): Promise<void> {
    const isNews = () => [...next].some(([partition, offset]) => (this.#held[partition]?.next ?? 0) > offset)
    if (isNews() || signal.aborted) return
    await new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        signal.removeEventListener('abort', over)
        resolve()
      }
      const look = () => {
        if (isNews()) over()
      }
      const timer = setTimeout(over, maxWaitMs)
      signal.addEventListener('abort', over, { once: true })
      this.#waiting.add(look)
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  async #begin(): Promise<void> {
    const ends = await this.#options.log.endOffsets(this.topic.name)
    this.#held = ends.map((end) => ({ from: end, next: end, bytes: 0, messages: [] }))
    this.#following = this.#follow()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing
    let isReplaced = false
    while (!signal.aborted) {
      try {
        if (isReplaced) await this.#restart()
        isReplaced = false
        const from = new Map(this.#held.map(({ next }, partition) => [partition, next]))
        for await (const records of this.#options.log.read({ topic: this.topic.name, from, until: 'follow', signal }))
          await this.#hold(records)
      } catch (error) {
        if (signal.aborted) return
        this.#options.onRetryableError(error)
        isReplaced ||= isLoomlogError(error, 'log-replaced')
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  async #restart(): Promise<void> {
    this.index.clear()
    const ends = await this.#options.log.endOffsets(this.topic.name)
    this.#held = ends.map((end) => ({ from: end, next: end, bytes: 0, messages: [] }))
  }

  async #hold(records: readonly LogRecord[]): Promise<void> {
    const { codec, limits } = this.#options
    const messages = await this.topic.messagesOf(records, codec, () => true)
    for (const [at, { partition, offset }] of records.entries()) {
      const held = this.#held[partition]
      const message = messages[at]
      if (held === undefined || message === undefined || offset < held.next) continue
      if (message.begins !== null) dropSpace(held, message.begins)
      held.messages.push(message)
      held.next = offset + 1
      held.bytes += message.json.length
    }
    for (const held of this.#held) shorten(held, limits)
    for (const look of [...this.#waiting]) look()
  }
}

/** The log destroys them too. The marker itself is held after them, so readers still come to the end. */
function dropSpace(held: HeldMessages, space: string): void {
  held.messages = held.messages.filter((message) => message.space !== space)
  held.bytes = held.messages.reduce((sum, { json }) => sum + json.length, 0)
}

/** Drops the oldest fifth at once, so that the cost per message is small. */
function shorten(held: HeldMessages, { heldRecords, heldBytes }: FeedReadLimits): void {
  while (held.messages.length > heldRecords || held.bytes > heldBytes) {
    const dropped = held.messages.splice(0, Math.ceil(held.messages.length / 5))
    held.bytes -= dropped.reduce((sum, { json }) => sum + json.length, 0)
    held.from = (dropped.at(-1)?.offset ?? held.from) + 1
  }
}
