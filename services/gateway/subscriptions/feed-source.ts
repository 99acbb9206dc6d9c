/**
 * The feed of a tenant, or of one of its spaces, as a stream. A space is in one partition, so its stream has one order. The stream of a tenant reads all
 * partitions: each space is in order, and spaces are not ordered with each other.
 */

import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import type { CloudEventType } from '@loomlog/schemas/cloud-events'
import type { Codec } from '@loomlog/schemas/codec'
import { hash, spaceKey } from '@loomlog/schemas/ids'
import type { FeedLimits } from './feed-limits.ts'
import { type FeedMessage, messagesOf } from './feed-message.ts'
import { type FeedPosition, offsetOf, positionFrom, refuseBeyond, total } from './feed-offset.ts'
import { type FeedTail, feedTopic } from './feed-tail.ts'
import { jsonMessages, type StreamSource } from './stream-source.ts'

export interface FeedScope {
  readonly tenant: string
  /** Null: every space of the tenant. */
  readonly space: string | null
  /** Null: every type. */
  readonly types: ReadonlySet<CloudEventType> | null
}

export interface FeedSourceOptions {
  readonly log: Pick<Log, 'read' | 'endOffsets'>
  readonly codec: Codec
  readonly tail: FeedTail
  readonly partitions: number
  readonly limits: FeedLimits
  /** Runs a read of the log when there is a place for it. */
  admit<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

interface Reading {
  readonly messages: string[]
  bytes: number
  records: number
}

/** Few, since a chunk of large messages ends early, and the rest is read again. */
const recordsAtOnce = 64

export function feedSource(scope: FeedScope, options: FeedSourceOptions): StreamSource {
  const { log, tail, limits } = options
  const { tenant, space, types } = scope
  const partitions =
    space === null
      ? Array.from({ length: options.partitions }, (_, partition) => partition)
      : [partitionOf(spaceKey(tenant, space), options.partitions)]
  const isWanted = (key: string) => (space === null ? key.startsWith(`${tenant}/`) : key === spaceKey(tenant, space))
  const matches = ({ space: key, type }: FeedMessage) =>
    key !== null && type !== null && isWanted(key) && (types === null || types.has(type))
  const hasRoom = ({ bytes, records }: Reading) => bytes < limits.chunkBytes && records < limits.chunkRecords

  /** Returns the next offset of the partition, and whether it was read to its end. */
  async function readPartition(partition: number, from: number, reading: Reading, signal: AbortSignal) {
    let next = from
    const take = (messages: readonly FeedMessage[]): boolean => {
      for (const message of messages) {
        if (!hasRoom(reading)) return false
        reading.records += 1
        next = message.offset + 1
        if (!matches(message)) continue
        reading.messages.push(message.json)
        reading.bytes += message.json.length
      }
      return true
    }
    const held = tail.heldFrom(partition, from)
    if (held !== null) return { isAll: take(held), next }
    // Everything before it is in the log by now; the last offsets may hold no record.
    const least = tail.begin(partition)
    const isAll = await options.admit(signal, async () => {
      const place = { topic: feedTopic, partitions: [partition], from: new Map([[partition, from]]) }
      for await (const records of log.read({ ...place, until: 'end', signal, maxRecords: recordsAtOnce })) {
        if (!take(await messagesOf(records, options.codec, isWanted))) return false
      }
      return !signal.aborted
    })
    return { isAll, next: isAll ? Math.max(next, least) : next }
  }

  const ends = async (): Promise<FeedPosition> => {
    const all = await log.endOffsets(feedTopic)
    return partitions.map((partition) => all[partition] ?? 0)
  }

  return {
    ...jsonMessages,
    name: hash([tenant, space, types === null ? null : [...types].sort()]),
    async tail() {
      await tail.start()
      return offsetOf(await ends())
    },
    async read(from, signal) {
      await tail.start()
      const position = from === null ? partitions.map(() => 0) : positionFrom(from, partitions.length)
      const isAhead = partitions.some((partition, at) => (position[at] ?? 0) > tail.end(partition))
      if (isAhead) refuseBeyond(position, await ends())
      const next = [...position]
      const reading: Reading = { messages: [], bytes: 0, records: 0 }
      let isUpToDate = true
      // Another partition is first each time, so that a busy one doesn't keep the others from being read.
      for (const [turn] of partitions.entries()) {
        const at = (turn + total(position)) % partitions.length
        const read = await readPartition(partitions[at] ?? 0, position[at] ?? 0, reading, signal)
        next[at] = read.next
        isUpToDate &&= read.isAll
      }
      return { messages: reading.messages, next: offsetOf(next), isUpToDate }
    },
    async changed(from, maxWaitMs, signal) {
      const position = positionFrom(from, partitions.length)
      const next = new Map(partitions.map((partition, at) => [partition, position[at] ?? 0]))
      await tail.changed(next, maxWaitMs, signal)
    },
  }
}
