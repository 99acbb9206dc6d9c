/**
 * Reads the feed of a tenant, or of some of its spaces, from a position. A space is in one partition, so it has one
 * order; spaces of several partitions are not ordered with each other. A reader has a position and no queue: it holds
 * one chunk at a time.
 */

import { beyondEnd } from '@loomlog/log/beyond-end'
import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import type { CloudEventType } from '@loomlog/schemas/cloud-events'
import type { Codec } from '@loomlog/schemas/codec'
import { spaceKey } from '@loomlog/schemas/ids'
import type { OffsetRange } from './feed-index.ts'
import type { FeedReadLimits } from './feed-limits.ts'
import type { FeedMessage } from './feed-message.ts'
import type { FeedTail } from './feed-tail.ts'

export interface FeedScope {
  readonly tenant: string
  /** Null: every space of the tenant. */
  readonly spaces: readonly string[] | null
  /** Null: every type. */
  readonly types: ReadonlySet<CloudEventType> | null
}

/** The next offset of each of the reader's partitions. */
export type FeedPosition = readonly number[]

export interface FeedChunk {
  readonly messages: readonly FeedMessage[]
  /** The position after the last record that was read or skipped. */
  readonly next: FeedPosition
  /** The feed had no further records. */
  readonly isUpToDate: boolean
}

export interface FeedReaderOptions {
  readonly log: Pick<Log, 'read' | 'endOffsets'>
  readonly codec: Codec
  readonly tail: FeedTail
  /** Partitions of the feed. */
  readonly partitions: number
  readonly limits: FeedReadLimits
  /** Limits the reads of the log in flight: runs the read once a slot is free. */
  admit<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

interface Chunk {
  readonly messages: FeedMessage[]
  bytes: number
  records: number
}

/** A small batch, since a chunk of large messages ends early, and the next chunk reads the rest of the batch again. */
const recordsAtOnce = 64
const all = Number.MAX_SAFE_INTEGER

export class FeedReader {
  readonly #scope: FeedScope
  readonly #options: FeedReaderOptions
  readonly #keys: ReadonlySet<string> | null
  readonly #indexKeys: Iterable<string>
  /** The partitions that hold the scope's spaces, in the order of a position. */
  readonly partitions: readonly number[]

  constructor(scope: FeedScope, options: FeedReaderOptions) {
    this.#scope = scope
    this.#options = options
    this.#keys = scope.spaces && new Set(scope.spaces.map((space) => spaceKey(scope.tenant, space)))
    this.#indexKeys = this.#keys ?? [`${scope.tenant}/`]
    const every = Array.from({ length: options.partitions }, (_, partition) => partition)
    const of = this.#keys && new Set([...this.#keys].map((key) => partitionOf(key, options.partitions)))
    this.partitions = every.filter((partition) => of === null || of.has(partition))
  }

  get #topic() {
    return this.#options.tail.topic
  }

  /** The position after everything in the log. */
  async end(): Promise<FeedPosition> {
    await this.#options.tail.start()
    const all = await this.#options.log.endOffsets(this.#topic.name)
    return this.partitions.map((partition) => all[partition] ?? 0)
  }

  /** A bounded number of messages. @throws LoomlogError `log-replaced` for a position beyond the end */
  async read(position: FeedPosition, signal: AbortSignal): Promise<FeedChunk> {
    const { tail } = this.#options
    await tail.start()
    const isAhead = this.partitions.some((partition, at) => (position[at] ?? 0) > tail.end(partition))
    if (isAhead) await this.#refuseBeyond(position)
    const next = [...position]
    const chunk: Chunk = { messages: [], bytes: 0, records: 0 }
    const sum = position.reduce((total, offset) => total + offset, 0)
    let isUpToDate = true
    // Partitions take turns to be first, so that a busy one doesn't starve the others.
    for (const turn of this.partitions.keys()) {
      const at = (turn + sum) % this.partitions.length
      const read = await this.#readPartition(this.partitions[at] ?? 0, position[at] ?? 0, chunk, signal)
      next[at] = read.next
      isUpToDate &&= read.isAll
    }
    return { messages: await tail.withoutVoid(chunk.messages), next, isUpToDate }
  }

  /** Resolves when there may be more after the position, after `maxWaitMs`, or when the signal aborts. */
  async changed(position: FeedPosition, maxWaitMs: number, signal: AbortSignal): Promise<void> {
    const next = new Map(this.partitions.map((partition, at) => [partition, position[at] ?? 0]))
    await this.#options.tail.changed(next, maxWaitMs, signal)
  }

  /** Returns the next offset of the partition, and whether it was read to its end. */
  async #readPartition(partition: number, from: number, chunk: Chunk, signal: AbortSignal) {
    const { tail } = this.#options
    const { index } = tail
    let next = from
    const take = (messages: readonly FeedMessage[]): boolean => {
      for (const message of messages) {
        if (!this.#hasRoom(chunk)) return false
        chunk.records += 1
        next = message.offset + 1
        if (!this.#matches(message)) continue
        chunk.messages.push(message)
        chunk.bytes += message.json.length
      }
      return true
    }
    const held = tail.heldFrom(partition, from)
    if (held !== null) return { isAll: take(held), next }
    // After a read to the end, the position is at least here: the last offsets below it may hold no record.
    const least = tail.begin(partition)
    const isAll = await this.#options.admit(signal, async () => {
      const { ranges, rest } = await index.rangesFrom({ partition, offset: from }, this.#indexKeys, signal)
      for (const range of ranges) {
        next = Math.max(next, range.from)
        if (!(await this.#readRange(partition, range, take, signal))) return false
      }
      if (rest === null) return false
      next = Math.max(next, rest)
      if (!(await this.#readRange(partition, { from: next, to: all }, take, signal))) return false
      return !signal.aborted
    })
    return { isAll, next: isAll ? Math.max(next, least) : next }
  }

  /** Returns whether everything in the range was taken. */
  async #readRange(
    partition: number,
    { from, to }: OffsetRange,
    take: (messages: readonly FeedMessage[]) => boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { log, codec } = this.#options
    const place = { topic: this.#topic.name, partitions: [partition], from: new Map([[partition, from]]) }
    for await (const records of log.read({ ...place, until: 'end', signal, maxRecords: recordsAtOnce })) {
      const within = records.filter(({ offset }) => offset < to)
      if (!take(await this.#topic.messagesOf(within, codec, (key) => this.#isWanted(key)))) return false
      if (within.length < records.length || (within.at(-1)?.offset ?? 0) === to - 1) return true
    }
    return !signal.aborted
  }

  #isWanted(key: string): boolean {
    return this.#keys === null ? key.startsWith(`${this.#scope.tenant}/`) : this.#keys.has(key)
  }

  #matches({ space, type, formerType }: FeedMessage): boolean {
    const { types } = this.#scope
    if (space === null || !this.#isWanted(space)) return false
    return types === null || (type !== null && types.has(type)) || (formerType !== null && types.has(formerType))
  }

  #hasRoom({ bytes, records }: Chunk): boolean {
    const { limits } = this.#options
    return bytes < limits.chunkBytes && records < limits.chunkRecords
  }

  async #refuseBeyond(position: FeedPosition): Promise<void> {
    const ends = await this.end()
    for (const [at, partition] of this.partitions.entries()) {
      const [next, end] = [position[at] ?? 0, ends[at] ?? 0]
      if (next > end) throw beyondEnd({ topic: this.#topic.name, partition, next, end })
    }
  }
}
