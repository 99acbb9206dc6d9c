/**
 * The forgettings that are requested, and whose markers not every view has passed yet. Until a view has passed the
 * marker, it still has the rows that are to be forgotten, so readers treat the space as empty there.
 */
import { isLoomlogError } from '@loomlog/errors'
import { endOffsetsInTime } from '@loomlog/log/end-offsets-in-time'
import { partitionOf } from '@loomlog/log/partition'
import type { LoomEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ViewedSpace } from '@loomlog/views/reader-options'
import type { Host } from './open.ts'

const topic = 'forgettings'

/** Where a topic has the marker of a forgetting. */
interface MarkerSearch {
  /** Null: not found yet. */
  offset: number | null
  next: number
}

/** By forgetting, and by topic. */
type Pending = Map<string, Map<string, MarkerSearch>>

export class PendingForgettings {
  readonly #host: Pick<Host, 'log' | 'codec' | 'partitions'>
  readonly #bySpace = new Map<string, Pending>()
  /** By partition of `forgettings`. */
  readonly #next = new Map<number, number>()
  /** Reads run one at a time, so that each record is read once. */
  #reading: Promise<unknown> = Promise.resolve()

  constructor(host: Pick<Host, 'log' | 'codec' | 'partitions'>) {
    this.#host = host
  }

  /** Whether the view has rows of the space from before a forgetting. If the log is away, as it was known last. */
  async isVoid({ space, source, watermark }: ViewedSpace): Promise<boolean> {
    const partition = partitionOf(space, this.#host.partitions)
    try {
      await this.#follow(partition)
      for (const markers of this.#bySpace.get(space)?.values() ?? []) {
        const marker = await this.#inTurn(() => this.#markerIn(source, { space, partition, markers }))
        if (marker === null || (await watermark()) <= marker) return true
      }
      return false
    } catch (error) {
      if (!isLoomlogError(error, 'log-unavailable') && !isLoomlogError(error, 'topic-unknown')) throw error
      return this.#bySpace.has(space)
    }
  }

  async #follow(partition: number): Promise<void> {
    const end = (await endOffsetsInTime(this.#host.log, topic))[partition] ?? 0
    if ((this.#next.get(partition) ?? 0) >= end) return
    await this.#inTurn(async () => {
      for await (const { event, offset } of this.#read(topic, partition, this.#next.get(partition) ?? 0)) {
        if (event !== null) this.#note(event)
        this.#next.set(partition, offset + 1)
      }
    })
  }

  #note(event: LoomEvent): void {
    const isRequest = event.type === 'ForgettingRequested'
    if (!isRequest && event.type !== 'ForgettingStatusChanged') return
    const space = spaceKey(event.tenant, event.space)
    const id = isRequest ? event.id : event.forgetting
    const pending: Pending = this.#bySpace.get(space) ?? new Map()
    if (isRequest || event.status === 'requested' || event.status === 'rewritten')
      pending.set(id, pending.get(id) ?? new Map())
    else pending.delete(id)
    if (pending.size === 0) this.#bySpace.delete(space)
    else this.#bySpace.set(space, pending)
  }

  async #markerIn(source: string, of: { space: string; partition: number; markers: Map<string, MarkerSearch> }) {
    const search = of.markers.get(source) ?? { offset: null, next: 0 }
    of.markers.set(source, search)
    const pending = this.#bySpace.get(of.space)
    for await (const { key, event, offset } of this.#read(source, of.partition, search.next, of.space)) {
      const isMarker = key === of.space && event?.type === 'SubjectForgotten'
      if (isMarker && pending?.get(event.forgetting) === of.markers) search.offset = offset
      search.next = offset + 1
    }
    return search.offset
  }

  /** @param key only records of this key are decoded */
  async *#read(name: string, partition: number, from: number, key: string | null = null) {
    const { log, codec } = this.#host
    const place = { topic: name, partitions: [partition], from: new Map([[partition, from]]), until: 'end' } as const
    for await (const records of log.read(place))
      for (const record of records) {
        const isWanted = key === null || record.key === key
        yield { ...record, event: isWanted ? await codec.decodeOwn(record.value) : null }
      }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#reading.then(work)
    this.#reading = turn.catch(() => {})
    return turn
  }
}
